"""The steps of a study, which a state machine runs one after another.

Not among the jobs: the model's tools need most of the layer, which is imported at the start.
"""

from collections.abc import Callable

from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.world import World
from membrane.usecases.study.run_study import Rest, fail_study, run_study

RESERVE_S = 30.0
"""Seconds before the function's timeout at which a step of a study begins nothing further."""
STEP_S = 240.0
"""Seconds after which a step begins nothing further; a lost step repeats no more than this."""


def study(event: Event, context: Context, world: World) -> JsonObject:
    """Go on with a study, or mark the study as failed once the state machine gives up.

    The reply says whether the study is to go on at once, after `wait_s` seconds, or not at all.
    Raises InvalidArgument for an event of a different shape, and the failure of the step: the
    state machine then repeats the step.
    """
    match event:
        case {
            "study": {"id": str(job_id), "attempt": int(attempt)},
            "failure": {"Error": str(error)},
        }:
            fail_study(job_id, attempt, error, world)
            rest = Rest("done", 0)
        case {"study": {"id": str(job_id), "attempt": int(attempt)}}:
            remaining_s, is_out_of_time = time_of_step(context, world)
            timed = world.but(remaining_s=remaining_s)
            rest = run_study(job_id, attempt, timed, is_out_of_time)
        case _:
            raise InvalidArgument("not an event of the study function")
    return {"state": rest.state, "wait_s": rest.wait_s}


def time_of_step(context: Context, world: World) -> tuple[Callable[[], float], Callable[[], bool]]:
    """The seconds until Lambda stops the function, and whether the step begins nothing further."""
    began_s = world.elapsed_s()

    def remaining_s() -> float:
        return context.get_remaining_time_in_millis() / 1_000

    def is_out_of_time() -> bool:
        return remaining_s() < RESERVE_S or world.elapsed_s() - began_s >= STEP_S

    return remaining_s, is_out_of_time
