"""How well a skill or plan fits a task: the match of the triggers, or the similarity."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from membrane.domain.records.payloads import CompetencePayload, Payload, PlanGraphPayload
from membrane.domain.search.rendering import flat_words
from membrane.domain.search.terms import terms_of

MAX_TRIGGERS = 50
"""The triggers of a skill, and the operations of a plan, that are compared with a task."""

MAX_TRIGGER_CHARACTERS = 500
"""The characters of a signal or of a condition that are compared with a task."""

DOUBT = 0.5
"""A trigger counts as if half a word more were missing: two words that the task has tell more than
one."""


@dataclass(frozen=True, slots=True)
class Applicability:
    """How well a skill or plan fits."""

    value: float
    """From 0 to 1."""
    trigger: str = ""
    """The signal of the trigger that the task met best; empty where the task met none."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A trigger of a skill, or the intent of a plan."""

    signal: str
    conditions: str
    """Words that make the sign more certain, and that a task need not have."""


def applicability(payload: Payload, task: Mapping[int, float], similarity: float) -> Applicability:
    """The match of the best trigger with the task, or a higher similarity.

    `task` has weights by term (see `Question.terms`). `similarity` is the match of the whole record
    with the task.
    """
    best, trigger = 0.0, ""
    for sign in islice(_signs(payload), MAX_TRIGGERS):
        match = _match(sign, task)
        if match > best:
            best, trigger = match, sign.signal
    return Applicability(min(1.0, max(best, similarity)), trigger)


def _match(sign: _Sign, task: Mapping[int, float]) -> float:
    """The share of the sign's words that the task has, by the weights of the task's words.

    A word of the conditions counts where the task has the word, and else not.
    """
    signal = terms_of(sign.signal).keys()
    met = (signal | terms_of(sign.conditions).keys()) & task.keys()
    weight = sum(min(1.0, task[each]) for each in met)
    return weight / (len(signal | met) + DOUBT)


def _signs(payload: Payload) -> Iterator[_Sign]:
    match payload:
        case CompetencePayload(triggers=triggers):
            for each in triggers:
                values = each.conditions.values() if isinstance(each.conditions, dict) else ()
                yield _Sign(_cut(each.signal), _cut(flat_words([*values])))
        case PlanGraphPayload(intent=intent, nodes=nodes):
            yield _Sign(_cut(intent), " ".join(_cut(node.op) for node in nodes[:MAX_TRIGGERS]))
        case _:
            return


def _cut(text: str) -> str:
    return text[:MAX_TRIGGER_CHARACTERS]
