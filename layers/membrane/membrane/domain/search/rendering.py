"""The text by which a record is found: one renderer for each type of payload.

What lies in the bucket in place of a value is left out, as are ids, digests and figures that
nobody asks for. Long texts are cut: a memory is found by what it begins with.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from pydantic import BaseModel

from membrane.domain.records.payloads import (
    CompetencePayload,
    EntityPayload,
    EpisodicPayload,
    Payload,
    PlanGraphPayload,
    SemanticPayload,
    ToolNode,
    WorkingPayload,
)
from membrane.domain.records.records import MemoryRecord

MAX_SEARCHED_CHARACTERS = 16_000

_MAX_VALUE_CHARACTERS = 4_000
"""Of one JSON value, so that a tool's long output hides nothing of what comes after it."""

_MAX_VALUE_PARTS = 20_000
"""Values within one JSON value that are read: what says nothing has no characters to count."""


def rendered(record: MemoryRecord) -> str:
    return text_of(chain(lines_of(record.payload), [", ".join(record.tags)]))


def text_of(lines: Iterable[str]) -> str:
    """The lines that are not empty, up to MAX_SEARCHED_CHARACTERS; no further line is made."""
    kept, length = list[str](), 0
    for line in filter(None, lines):
        kept.append(line[:MAX_SEARCHED_CHARACTERS])
        length += len(line) + 1
        if length > MAX_SEARCHED_CHARACTERS:
            break
    return "\n".join(kept)[:MAX_SEARCHED_CHARACTERS]


def lines_of(payload: Payload) -> Iterator[str]:
    match payload:
        case EpisodicPayload():
            return _episode(payload)
        case WorkingPayload():
            return _working(payload)
        case SemanticPayload():
            return _fact(payload)
        case CompetencePayload():
            return _skill(payload)
        case PlanGraphPayload():
            return _plan(payload)
        case EntityPayload():
            return _entity(payload)


def _episode(payload: EpisodicPayload) -> Iterator[str]:
    for event in payload.timeline:
        yield event.summary or f"{event.event_kind} {event.ref}"
    yield from map(_tool_call, payload.tool_graph)
    if payload.environment is not None:
        yield flattened(payload.environment)
    yield ": ".join(filter(None, [payload.outcome, payload.outcome_reason]))
    yield from payload.artifacts


def _tool_call(node: ToolNode) -> str:
    return _sentence([node.tool, flattened(node.args), flattened(node.result)])


def _working(payload: WorkingPayload) -> Iterator[str]:
    yield payload.context_summary
    yield from payload.next_actions
    yield from payload.open_questions
    yield flattened(payload.active_constraints)
    yield _sentence([payload.thread_id, payload.state])


def _fact(payload: SemanticPayload) -> Iterator[str]:
    yield _sentence([payload.subject, payload.predicate, flattened(payload.object)])
    yield flattened(payload.validity.conditions)


def _skill(payload: CompetencePayload) -> Iterator[str]:
    yield payload.skill_name
    for trigger in payload.triggers:
        yield _sentence([trigger.signal, flattened(trigger.conditions)])
    for step in payload.recipe:
        yield _sentence([step.step, step.tool, flattened(step.args_schema), step.validation])
    yield _sentence(payload.required_tools)
    yield from payload.failure_modes
    yield from payload.fallbacks


def _plan(payload: PlanGraphPayload) -> Iterator[str]:
    yield _sentence([payload.intent, payload.plan_id])
    for node in payload.nodes:
        yield _sentence([node.op, flattened(node.params), flattened(node.guards)])
    yield flattened(payload.constraints)
    yield _sentence([flattened(payload.inputs_schema), flattened(payload.outputs_schema)])


def _entity(payload: EntityPayload) -> Iterator[str]:
    yield payload.canonical_name
    yield from (alias.value for alias in payload.aliases)
    yield _sentence([payload.primary_type, *payload.types])
    yield from (identifier.value for identifier in payload.identifiers)
    yield payload.summary


def flattened(value: Any) -> str:
    """The first words of a JSON value or of a model, keys among them, in their order."""
    words = islice(_words_in(value), _MAX_VALUE_PARTS)
    return _sentence(_up_to(_MAX_VALUE_CHARACTERS, words))[:_MAX_VALUE_CHARACTERS]


def _up_to(characters: int, words: Iterable[str]) -> Iterator[str]:
    """The words until they have so many characters; of a long one the beginning."""
    for word in words:
        yield word[:characters]
        characters -= len(word)
        if characters <= 0:
            return


def _words_in(value: Any) -> Iterator[str]:
    """A word for each value, or an empty one for a value without words."""
    match value:
        case str():
            yield value
        case bool() | None:
            yield ""
        case int() | float():
            yield str(value)
        case BaseModel():
            yield from _words_in({name: each for name, each in value if each})
        case dict():
            yield ""
            for key, each in value.items():
                yield str(key)
                yield from _words_in(each)
        case list() | tuple():
            yield ""
            for each in value:
                yield from _words_in(each)
        case _:  # a claim or what lies in the bucket
            yield ""


def _sentence(parts: Iterable[str]) -> str:
    return " ".join(part for part in parts if part)
