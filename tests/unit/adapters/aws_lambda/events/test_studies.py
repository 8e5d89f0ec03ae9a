"""Steps of a study: what the state machine sends, what it learns, and how long a step goes on."""

from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.studies import RESERVE_S, STEP_S, study, time_of_step
from membrane.domain.study.jobs import Job, StudyStage
from membrane.table.keys import study_key
from membrane.usecases.study.work import keep_study
from membrane.wiring.world import World
from tests.builders.studies import study_job
from tests.worlds.memory import chatting

EVENT = {"study": {"id": "study-1", "attempt": 1}}
FAILURE = {"Error": "Unavailable", "Cause": "{}"}


@dataclass(slots=True)
class Context:
    """Of a function with so many seconds left."""

    seconds: float = 300
    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return round(self.seconds * 1_000)


def studying() -> World:
    return chatting(None, start_execution=lambda *_: None)


def with_job(**changes: Any) -> World:
    services = studying()
    keep_study(study_job("study-1", services.now(), **changes), None, services.jobs)
    return services


def kept(services: World) -> Job:
    found = services.jobs.find(study_key("study-1"))
    assert found is not None
    return Job.of_json(found.progress)


def test_a_step_without_time_leaves_the_job_as_it_is_and_asks_to_go_on_at_once() -> None:
    services = with_job()
    before = kept(services)

    reply = study(EVENT, Context(RESERVE_S - 1), services)

    assert reply == {"state": "running", "wait_s": 0}
    assert kept(services) == before


def test_an_earlier_attempt_does_not_go_on() -> None:
    services = with_job(attempt=2)

    assert study(EVENT, Context(), services) == {"state": "done", "wait_s": 0}
    assert kept(services).stage is StudyStage.PREPARING


def test_a_step_begins_nothing_in_the_last_seconds_of_the_function() -> None:
    context = Context(RESERVE_S)
    remaining_s, is_out_of_time = time_of_step(context, studying().but(elapsed_s=lambda: 0.0))

    assert not is_out_of_time()
    context.seconds = RESERVE_S - 0.1
    assert is_out_of_time()
    assert remaining_s() == pytest.approx(context.seconds)


def test_a_step_begins_nothing_after_its_share_of_time_whatever_the_function_has_left() -> None:
    now_s = [1_000.0]
    _, is_out_of_time = time_of_step(Context(900), studying().but(elapsed_s=lambda: now_s[0]))

    now_s[0] += STEP_S - 1
    assert not is_out_of_time()
    now_s[0] += 1
    assert is_out_of_time()
