"""The steps of an interpretation against the store."""

from functools import partial

from membrane.usecases.capture.interpret_capture import CaptureSteps
from membrane.usecases.capture.interpreting_call import find_candidates, read_material
from membrane.usecases.capture.write_facts import resolve_mentions, write_facts
from membrane.usecases.ports.world import World


def interpreting_steps(world: World) -> CaptureSteps:
    return CaptureSteps(
        read_material=partial(read_material, world=world),
        find_candidates=partial(find_candidates, world=world),
        resolve_mentions=partial(resolve_mentions, world=world),
        write_facts=partial(write_facts, world=world),
    )
