"""Questions to a chat model: the tokens of the day, a busy model, and garbled answers."""

from datetime import UTC, datetime
from typing import Any

import pytest

from membrane.domain.chat.allowances import Limits
from membrane.domain.chat.room import tokens_of
from membrane.domain.chat.turns import OfferedTool, Question, UserTurn
from membrane.domain.language.errors import Unavailable
from membrane.domain.models.failures import BusyModel, GarbledAnswer, NotAsked, OutOfTokens
from membrane.usecases.chat.ask_model import (
    LEAST_TIME_S,
    MAX_BUSY,
    MAX_GARBLED,
    OUT_OF_TOKENS,
    TOKENS,
    USUAL_WAIT_S,
    Asker,
    OutOfTime,
)
from tests.fakes.chat_models import FakeChatModel, Step, TimeLeft, chatting, says
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Metrics, Reports
from tests.fakes.token_budgets import FakeTokenBudget
from tests.worlds.tools import key

TOOL = OfferedTool("recall", "Search memory.", {"type": "object"})
QUESTION = Question("Be brief.", [UserTurn("hello")], [TOOL], max_tokens=1_000)
RESERVED = tokens_of(QUESTION) + 1_000


class Asking:
    """A conversation that asks a model with these answers."""

    def __init__(
        self,
        *steps: Step,
        seconds: float = 100.0,
        budget: FakeTokenBudget | None = None,
        **settings: Any,
    ) -> None:
        self.budget = budget or FakeTokenBudget()
        self.left = TimeLeft(seconds)
        self.metrics = Metrics()
        self.model = FakeChatModel(steps)
        services = chatting(
            self.model,
            budget=self.budget,
            time_left=self.left,
            measure=self.metrics,
            now=FakeClock(datetime(2026, 3, 1, 18, tzinfo=UTC)),
            **settings,
        )
        self.asker = Asker(self.model, key(), services)

    @property
    def spent(self) -> set[int]:
        """The sums of the accounts of the key and of the stack."""
        return set(self.budget.accounts.values())


def test_the_tokens_of_an_answer_count_for_key_and_stack() -> None:
    asking = Asking(says("hi", tokens=40), says("ho", tokens=2))

    asking.asker.ask(QUESTION)
    asking.asker.ask(QUESTION)

    assert asking.spent == {42}
    assert len(asking.budget.accounts) == 2
    assert (asking.asker.tokens, asking.asker.questions) == (42, 2)
    assert asking.metrics.told == [(TOKENS, 40, {}), (TOKENS, 2, {})]


def test_tokens_are_estimated_for_a_model_that_does_not_count() -> None:
    asking = Asking(says("hi", tokens=None))

    asking.asker.ask(QUESTION)

    assert asking.asker.tokens == tokens_of(QUESTION) + 1
    assert asking.spent == {asking.asker.tokens}


@pytest.mark.parametrize(
    ("limits", "owner"),
    [
        (Limits(RESERVED - 1, 1_000_000), "the key"),
        (Limits(1_000_000, RESERVED - 1), "the stack"),
    ],
)
def test_a_question_beyond_an_allowance_is_not_asked(limits: Limits, owner: str) -> None:
    asking = Asking(says("hi"), limits=limits)

    with pytest.raises(OutOfTokens, match=owner) as refused:
        asking.asker.ask(QUESTION)

    assert refused.value.retry_after_s == 6 * 3_600
    assert asking.model.asked == []
    assert asking.spent <= {0}
    assert asking.metrics.told == [(OUT_OF_TOKENS, 1, {})]


def test_a_question_that_just_fits_is_asked() -> None:
    asking = Asking(says("hi"), limits=Limits(RESERVED, RESERVED))

    assert asking.asker.ask(QUESTION).text == "hi"


def test_a_busy_model_is_asked_again_after_the_wait_that_it_names() -> None:
    asking = Asking(BusyModel("busy", 7), BusyModel("busy"), says("hi", tokens=5))

    assert asking.asker.ask(QUESTION).text == "hi"

    assert asking.left.pauses == [7, USUAL_WAIT_S]
    assert asking.spent == {5}


def test_a_model_that_stays_busy_is_given_up() -> None:
    asking = Asking(BusyModel("busy", 1))

    with pytest.raises(BusyModel):
        asking.asker.ask(QUESTION)

    assert len(asking.model.asked) == MAX_BUSY
    assert asking.spent == {0}


def test_a_wait_beyond_the_time_of_the_request_is_not_begun() -> None:
    asking = Asking(BusyModel("busy", 60), seconds=60 + LEAST_TIME_S)

    with pytest.raises(BusyModel):
        asking.asker.ask(QUESTION)

    assert asking.left.pauses == []


def test_a_garbled_answer_is_asked_for_again_coldly_and_with_a_call() -> None:
    asking = Asking(GarbledAnswer("unreadable"), says("hi"))

    asking.asker.ask(QUESTION)

    first, second = asking.model.asked
    assert (first.temperature, first.must_call) == (QUESTION.temperature, False)
    assert (second.temperature, second.must_call) == (0.0, True)


def test_a_question_without_tools_demands_no_call() -> None:
    asking = Asking(GarbledAnswer("unreadable"), says("hi"))

    asking.asker.ask(QUESTION._replace(tools=()))

    assert not asking.model.asked[1].must_call


def test_answers_that_stay_garbled_are_given_up_and_their_tokens_count() -> None:
    asking = Asking(GarbledAnswer("unreadable"))

    with pytest.raises(GarbledAnswer):
        asking.asker.ask(QUESTION)

    assert len(asking.model.asked) == MAX_GARBLED
    assert asking.spent == {MAX_GARBLED * RESERVED}


def test_a_refused_question_took_no_tokens_and_a_silent_model_may_have() -> None:
    refusing, silent = Asking(NotAsked("refused")), Asking(Unavailable("no answer"))

    for asking in (refusing, silent):
        with pytest.raises(Unavailable):
            asking.asker.ask(QUESTION)

    assert refusing.spent == {0}
    assert silent.spent == {RESERVED}


def test_the_time_of_the_request_bounds_the_wait_for_an_answer() -> None:
    asking = Asking(says("hi"), seconds=10.0)

    asking.asker.ask(QUESTION)

    assert asking.model.timeouts_s == [10.0 - LEAST_TIME_S]


def test_without_time_nothing_is_asked() -> None:
    asking = Asking(says("hi"), seconds=LEAST_TIME_S)

    with pytest.raises(OutOfTime):
        asking.asker.ask(QUESTION)

    assert asking.model.asked == []
    assert asking.spent == set()


class BrokenBudget(FakeTokenBudget):
    """A budget whose corrections are not answered."""

    def correct(self, account: str, difference: int) -> None:
        """See DynamoTokenBudget."""
        raise Unavailable(f"{account}: {difference} could not be corrected")


@pytest.mark.parametrize("first", [None, BusyModel("busy", 1)])
def test_a_correction_that_fails_is_reported_and_the_answer_counts(first: Step | None) -> None:
    asking = Asking(*([first] if first else []), says("hi"), budget=BrokenBudget())

    answer = asking.asker.ask(QUESTION)

    report = asking.asker.services.report
    assert answer.text == "hi"
    assert isinstance(report, Reports)
    assert ("Chat", "FAULT") in report.told


def test_the_tokens_of_a_silent_model_are_measured() -> None:
    asking = Asking(Unavailable("no answer"))

    with pytest.raises(Unavailable):
        asking.asker.ask(QUESTION)

    assert asking.metrics.told == [(TOKENS, RESERVED, {})]
    assert asking.asker.questions == 1
