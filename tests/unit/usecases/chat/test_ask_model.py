"""How long a conversation waits for its model, and what operators hear of tokens."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda.chat import HTTP_API_S, RESERVE_S, answer_chat
from membrane.adapters.aws_lambda.invocation import StreamedReply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.domain.chat.allowances import Limits
from membrane.domain.chat.turns import Question, UserTurn, tokens_of
from membrane.domain.language.errors import Unavailable
from membrane.domain.model_failures import BusyModel, OutOfTokens
from membrane.usecases.chat.rounds import (
    MAX_BUSY,
    OUT_OF_TOKENS,
    TOKENS,
    USUAL_WAIT_S,
    Asker,
    OutOfTime,
)
from membrane.usecases.chat.run_calls import LEAST_TIME_S
from tests.fakes.chat_models import FakeChatModel, Metrics, Reports, Step, TimeLeft, says
from tests.worlds.memory import chatting
from tests.worlds.memory_table import Over
from tests.worlds.tools import key

QUESTION = Question("Be brief.", [UserTurn("hello")], max_tokens=1_000)
RESERVED = tokens_of(QUESTION) + 1_000


class Asking:
    """A conversation that asks a model with these answers."""

    def __init__(self, *steps: Step, seconds: float = 100.0, **settings: Any) -> None:
        self.left, self.metrics = TimeLeft(seconds), Metrics()
        self.model = FakeChatModel(steps)
        services = chatting(self.model, time_left=self.left, measure=self.metrics, **settings)
        self.asker = Asker(self.model, key(), services)


def test_a_busy_model_is_given_up_after_some_questions_and_usual_waits() -> None:
    asking = Asking(BusyModel("busy", 7), BusyModel("busy"))

    with pytest.raises(BusyModel):
        asking.asker.ask(QUESTION)

    assert asking.left.pauses == [7, USUAL_WAIT_S, USUAL_WAIT_S]
    assert len(asking.model.asked) == MAX_BUSY


def test_a_wait_beyond_the_time_of_the_request_is_not_begun() -> None:
    asking = Asking(BusyModel("busy", 60), seconds=60 + LEAST_TIME_S)

    with pytest.raises(BusyModel):
        asking.asker.ask(QUESTION)

    assert asking.left.pauses == []


def test_the_time_of_the_request_bounds_the_wait_and_without_time_nothing_is_asked() -> None:
    late, too_late = Asking(says("hi"), seconds=10.0), Asking(says("hi"), seconds=LEAST_TIME_S)

    late.asker.ask(QUESTION)
    with pytest.raises(OutOfTime):
        too_late.asker.ask(QUESTION)

    assert late.model.timeouts_s == [10.0 - LEAST_TIME_S]
    assert too_late.model.asked == []


def test_tokens_are_measured_also_of_a_silent_model_and_where_they_run_out() -> None:
    silent = Asking(Unavailable("no answer"))
    poor = Asking(says("hi"), limits=Limits(RESERVED - 1, 1_000_000))

    with pytest.raises(Unavailable):
        silent.asker.ask(QUESTION)
    with pytest.raises(OutOfTokens):
        poor.asker.ask(QUESTION)

    assert silent.metrics.told == [(TOKENS, RESERVED, {})]
    assert poor.metrics.told == [(OUT_OF_TOKENS, 1, {})]


class BrokenBudget(Over):
    """A budget whose corrections are not answered."""

    def correct(self, account: str, difference: int) -> None:
        """See DynamoTokenBudget."""
        raise Unavailable(f"{account}: {difference} could not be corrected")


@pytest.mark.parametrize("first", [None, BusyModel("busy", 1)])
def test_a_correction_that_fails_is_reported_and_the_answer_counts(first: Step | None) -> None:
    asking = Asking(*([first] if first else []), says("hi"))
    services = asking.asker.world
    asking.asker.world = services.but(chat_budget=BrokenBudget(services.chat_budget))

    answer = asking.asker.ask(QUESTION)

    report = asking.asker.world.report
    assert answer.text == "hi"
    assert isinstance(report, Reports)
    assert ("Chat", "FAULT") in report.told


@dataclass(slots=True)
class Invocation:
    """A context of Lambda's, or of a runtime that streams."""

    streams: bool
    left_ms: int
    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        """See Context."""
        return self.left_ms


@pytest.mark.parametrize(
    ("route", "streams", "left_ms", "waits_s"),
    [
        ("POST /v1/chat", True, 300_000, HTTP_API_S - 2.0),
        ("POST /v1/chat/stream", False, 300_000, HTTP_API_S - 2.0),
        ("POST /v1/chat/stream", True, 300_000, 60.0),
        ("POST /v1/chat/stream", True, 10_000, 10.0 - RESERVE_S - 2.0),
    ],
)
def test_the_way_of_replying_bounds_the_time_and_operators_hear_once(
    route: str,
    streams: bool,  # noqa: FBT001 - a row of the table
    left_ms: int,
    waits_s: float,
) -> None:
    report, model = Reports(), FakeChatModel([says("query"), says("hi")])
    caller = {"actor_id": "a", "permissions": ["read"], "scopes": ["s"], "max_sensitivity": "low"}
    event = {
        "routeKey": route,
        "rawPath": route.partition(" ")[2],
        "rawQueryString": "",
        "headers": {},
        "body": json.dumps({"messages": [{"role": "user", "content": "hi"}]}),
        "requestContext": {"http": {"method": "POST"}, "authorizer": {"lambda": caller}},
    }

    services = chatting(model, report=report)
    reply = answer_chat(event, Invocation(streams, left_ms), rows_of("chat"), services)

    if isinstance(reply, StreamedReply):
        list(reply.chunks)
    assert model.timeouts_s[0] == pytest.approx(waits_s, abs=0.1)
    assert report.told == [("Chat", "OK")]
