"""Ask the chat model, within the tokens of the day and the time of the request."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.access.principals import Principal
from membrane.domain.chat.allowances import Allowance, allowances_of, out_of_tokens
from membrane.domain.chat.room import tokens_of, tokens_of_answer, within_room
from membrane.domain.chat.turns import Answer, Question
from membrane.domain.language.errors import Unavailable
from membrane.domain.models.failures import BusyModel, GarbledAnswer, NotAsked
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.models import ChatModel
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

TOKENS = "ChatTokens"
"""The metric of the tokens that questions and answers took."""

RPC = "Chat"

OUT_OF_TOKENS = "ChatOutOfTokens"
"""The metric of questions that an allowance of the day did not suffice for."""

MAX_BUSY = 4
"""The most questions that a busy model is asked in a row."""

MAX_GARBLED = 3
"""The most questions in a row with answers whose calls cannot be read (MemState asks as often)."""

USUAL_WAIT_S = 3.0
"""The wait for a busy model that names no wait (MemState, `groq_chat.py`)."""

LEAST_TIME_S = 2.0
"""With less time left, no question is asked: the reply must still be written."""


class OutOfTime(Unavailable):
    """The time of the request does not suffice for a further question."""


@dataclass(slots=True)
class Asker:
    """The questions of one conversation, with the tokens that they took."""

    model: ChatModel
    principal: Principal
    world: World
    tokens: int = 0
    questions: int = 0
    answered_by: str = field(init=False)
    """The name of the model that answered last."""

    def __post_init__(self) -> None:
        self.answered_by = self.model.name

    def ask(self, question: Question, limit_s: float = 180.0) -> Answer:
        """The model's answer; a busy model and a garbled answer are asked again.

        `limit_s` bounds the wait for an answer, beside the time of the request (180 s: MemState).
        Raises TooLarge; OutOfTokens; OutOfTime; BusyModel, GarbledAnswer, Unavailable as ChatModel.
        """
        question, busy, garbled = within_room(question), 0, 0
        while True:
            try:
                return self._ask_once(question, limit_s)
            except BusyModel as error:
                busy += 1
                if busy == MAX_BUSY:
                    raise
                self._wait(error)
            except GarbledAnswer:
                garbled += 1
                if garbled == MAX_GARBLED:
                    raise
                question = question._replace(temperature=0.0, must_call=bool(question.tools))

    def _ask_once(self, question: Question, limit_s: float) -> Answer:
        """The answer; tokens are reserved before the question, and corrected after the answer.

        A busy model and a refused question took none of the reserved tokens. A model that did not
        answer may have taken all.
        """
        left_s = self.world.remaining_s() - LEAST_TIME_S
        if left_s <= 0:
            raise OutOfTime("the time of the request is used up")
        asked = tokens_of(question)
        reserved = asked + question.max_tokens
        accounts = self._reserve(reserved)
        try:
            answer = self.model.answer(question, min(limit_s, left_s))
        except (BusyModel, NotAsked):
            self._correct(accounts, -reserved)
            raise
        except Unavailable:
            self._count(reserved)
            raise
        taken = answer.tokens or asked + tokens_of_answer(answer)
        self._correct(accounts, taken - reserved)
        self._count(taken)
        self.answered_by = answer.model
        return answer

    def _count(self, tokens: int) -> None:
        self.tokens += tokens
        self.questions += 1
        self.world.measure(TOKENS, tokens, "Count")

    def _reserve(self, tokens: int) -> Sequence[Allowance]:
        """Count the tokens in every allowance, or in none.

        Raises OutOfTokens, and ResourceExhausted and Unavailable of the store.
        """
        now, world = self.world.now(), self.world
        counted: list[Allowance] = []
        try:
            for each in allowances_of(self.principal, now, world.chat_limits):
                if not world.chat_budget.spend(each.account, tokens, each.limit):
                    world.measure(OUT_OF_TOKENS, 1, "Count")
                    raise out_of_tokens(each, now)
                counted.append(each)
        except TRANSIENT:
            self._correct(counted, -tokens)
            raise
        return counted

    def _correct(self, accounts: Sequence[Allowance], difference: int) -> None:
        """Correct the sums; a failure is reported to operators, because the answer counts more."""
        try:
            for each in accounts:
                self.world.chat_budget.correct(each.account, difference)
        except TRANSIENT as fault:
            self.world.report(RPC, FAULT, fault)

    def _wait(self, error: BusyModel) -> None:
        """Wait as long as the model asks; raises the error if the time does not suffice."""
        wait_s = error.retry_after_s or USUAL_WAIT_S
        if wait_s + LEAST_TIME_S >= self.world.remaining_s():
            raise error
        self.world.pause(wait_s)
