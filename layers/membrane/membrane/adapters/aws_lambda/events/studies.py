"""The steps of a study, which a state machine runs one after another."""

from typing import NamedTuple

from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.world import World
from membrane.usecases.study.run_study import Rest, fail_study, run_study

RESERVE_S = 30.0
"""Seconds before the function's timeout at which a step begins nothing further."""

STEP_S = 240.0
"""Seconds after which a step begins nothing further; a lost step repeats no more than this."""


class Step(NamedTuple):
    """An invocation, and when it began by `elapsed_s`."""

    context: Context
    world: World
    began_s: float

    def remaining_s(self) -> float:
        """Seconds until Lambda stops the function."""
        return self.context.get_remaining_time_in_millis() / 1_000

    def is_out_of_time(self) -> bool:
        return self.remaining_s() < RESERVE_S or self.world.elapsed_s() - self.began_s >= STEP_S


def study(event: Event, context: Context, world: World) -> JsonObject:
    """Go on with a job, or mark the job as failed once the state machine gives up.

    The reply says whether the job is to go on at once, after `wait_s` seconds, or not at all.
    Raises InvalidArgument for an event of a different shape, and the failure of the step: the
    state machine then repeats the step.
    """
    match event:
        case {
            "study": {"id": str(job_id), "attempt": int(attempt)},
            "failure": {"Error": str(error)},
        }:
            fail_study(job_id, attempt, error, world)
            return _reply(Rest("done", 0))
        case {"study": {"id": str(job_id), "attempt": int(attempt)}}:
            step = Step(context, world, world.elapsed_s())
            timed = world.but(remaining_s=step.remaining_s)
            return _reply(run_study(job_id, attempt, timed, step.is_out_of_time))
        case _:
            raise InvalidArgument("not an event of the study function")


def _reply(rest: Rest) -> JsonObject:
    return {"state": rest.state, "wait_s": rest.wait_s}
