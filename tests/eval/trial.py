"""One evaluation in progress: the same facts and questions for the service and the baseline."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from membrane_client import Membrane
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import MemoryRecord
from membrane_client.values.retrieval import Answer
from tests.e2e.stack import Stack
from tests.eval.facts import Fact, Pair
from tests.eval.plain_search import PlainSearch
from tests.eval.rules import Rule
from tests.eval.verdict import LIMIT, Complaints, Verdict

DAY_S = 86_400


@dataclass(slots=True)
class Trial:
    """The facts of one evaluation, in a scope of their own named as the evaluation."""

    stack: Stack
    memory: Membrane
    plain: PlainSearch
    verdict: Verdict

    def tell(self, fact: Fact, **options: Any) -> MemoryRecord:
        """Report a fact to the service and to the baseline."""
        self.plain.tell(fact)
        return self.memory.ingest_observation(
            fact.subject, fact.predicate, fact.object, scope=self.verdict.name, **options
        )

    def ask(self, pair: Pair, rule: Rule) -> list[Fact]:
        """Ask the question on both sides, and note what is wrong; the service's answer."""
        answer = self.answer(pair)
        _note(self.verdict.ours, pair, rule.complaint(answer))
        _note(self.verdict.plain, pair, rule.complaint(self.plain.ask(pair.question, LIMIT)))
        return answer

    def answer(self, pair: Pair) -> list[Fact]:
        """The facts of the service's answer, the best first."""
        return [_fact(each) for each in self._retrieve(pair).records]

    def scores(self, pair: Pair) -> Mapping[str, float]:
        """The scores of the service's answer, by record id."""
        return self._retrieve(pair).scores

    def statements(self, fact: Fact, **options: Any) -> list[Fact]:
        """The facts that stand about the subject and predicate, now or `as_of` an instant."""
        found = self.memory.retrieve(
            trust={"scopes": [self.verdict.name]},
            subject=fact.subject,
            predicate=fact.predicate,
            **options,
        )
        return [_fact(each) for each in found]

    def expect(self, pair: Pair, what: str, *, holds: bool) -> None:
        """Note what the service alone must do and does not."""
        _note(self.verdict.ours, pair, "" if holds else f"does not hold: {what}")

    def now(self) -> str:
        return str(_ask(self.stack, "GET", "/_dev/clock")["now"])

    def advance(self, days: float) -> None:
        """Let days pass: what the schedules start in the meantime runs, such as the sweep."""
        _ask(self.stack, "POST", "/_dev/clock?wait", {"advance_seconds": days * DAY_S})

    def _retrieve(self, pair: Pair) -> Answer:
        _ask(self.stack, "GET", "/_dev/queues?wait")
        return self.memory.retrieve(
            pair.question, trust={"scopes": [self.verdict.name]}, limit=LIMIT
        )


def freeze(stack: Stack) -> None:
    """Stop the stack's clock: from now on, time passes by `advance` alone."""
    _ask(stack, "POST", "/_dev/clock", {"frozen": True})


def _ask(stack: Stack, method: str, path: str, body: Any = None) -> Any:
    status, reply = stack.call(method, path, body)
    assert status == 200, reply
    return reply


def _note(complaints: Complaints, pair: Pair, complaint: str) -> None:
    if complaint:
        complaints[pair].append(complaint)


def _fact(record: MemoryRecord) -> Fact:
    payload = record.payload
    assert isinstance(payload, SemanticPayload)
    return Fact(payload.subject, payload.predicate, payload.object)
