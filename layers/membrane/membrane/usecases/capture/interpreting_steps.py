"""The steps of an interpretation against the store."""

from functools import partial

from membrane.usecases.capture.find_candidates import find_candidates
from membrane.usecases.capture.interpret_capture import CaptureSteps
from membrane.usecases.capture.read_material import read_material
from membrane.usecases.capture.resolve_mentions import resolve_mentions
from membrane.usecases.capture.write_facts import write_facts
from membrane.usecases.ports.services import Services


def interpreting_steps(services: Services) -> CaptureSteps:
    return CaptureSteps(
        read_material=partial(read_material, services=services),
        find_candidates=partial(find_candidates, services=services),
        resolve_mentions=partial(resolve_mentions, services=services),
        write_facts=partial(write_facts, services=services),
    )
