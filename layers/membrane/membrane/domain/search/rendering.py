"""Render a record as text, for the search or for a reader: a renderer for each type of payload.

The text leaves out large values in the bucket, ids, digests and figures. Long texts are cut, so a
search finds a long record by the beginning.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from pydantic import BaseModel

from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.records import payloads
from membrane.domain.records.interpretation import with_text_once
from membrane.domain.records.records import MemoryRecord, as_json

MAX_SEARCHED_CHARACTERS = 16_000

_MAX_VALUE_CHARACTERS = 4_000
"""The characters read of one JSON value, so that text after a long tool output is found too."""

_MAX_VALUE_PARTS = 20_000
"""The values read within one JSON value; empty values have no characters to count."""


Words = Callable[[Any], str]
"""A renderer of a JSON value or a model."""


def searched_text(record: MemoryRecord) -> str:
    """The payload and the tags as text, without the interpretation."""
    return text_of(chain(_lines_of(record.payload, flat_words), [", ".join(record.tags)]))


def readable(record: MemoryRecord, characters: int) -> str:
    """The text for a reader, without tags: JSON stays JSON; a longer text ends in an ellipsis.

    The timeline events that only repeat calls of the tool graph are left out, and a captured text
    is shown once.
    """
    payload = record.payload
    if isinstance(payload, payloads.EpisodicPayload):
        payload = with_text_once(payload)
    if isinstance(payload, payloads.EpisodicPayload) and payload.tool_graph:
        called = {
            "",
            f"{payloads.TOOL_CALL}: {', '.join(node.tool for node in payload.tool_graph)}",
        }
        shown = [
            each for each in payload.timeline if not (_is_call(each) and each.summary in called)
        ]
        payload = payload.model_copy(update={"timeline": tuple(shown)})
    text = text_of(_lines_of(payload, _as_json_text), characters + 1)
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _is_call(event: payloads.TimelineEvent) -> bool:
    """Whether the event is a tool call, or a message, which may carry tool calls."""
    return event.event_kind == payloads.TOOL_CALL or event.event_kind.startswith(
        payloads.MESSAGE_PREFIX
    )


def text_of(lines: Iterable[str], characters: int = MAX_SEARCHED_CHARACTERS) -> str:
    """Join the non-empty lines up to a number of characters; later lines are never computed."""
    kept, length = list[str](), 0
    for line in filter(None, lines):
        kept.append(line[:characters])
        length += len(line) + 1
        if length > characters:
            break
    return "\n".join(kept)[:characters]


def _lines_of(payload: payloads.Payload, words: Words) -> Iterator[str]:
    match payload:
        case payloads.EpisodicPayload():
            return _episode(payload, words)
        case payloads.WorkingPayload():
            return _working(payload, words)
        case payloads.SemanticPayload():
            return _fact(payload, words)
        case payloads.CompetencePayload():
            return _skill(payload, words)
        case payloads.PlanGraphPayload():
            return _plan(payload, words)
        case payloads.EntityPayload():
            return _entity(payload)


def _episode(payload: payloads.EpisodicPayload, words: Words) -> Iterator[str]:
    for event in payload.timeline:
        yield event.summary or f"{event.event_kind} {event.ref}"
    for node in payload.tool_graph:
        yield _sentence([node.tool, words(node.args), words(node.result)])
    if payload.environment is not None:
        yield words(payload.environment)
    yield ": ".join(filter(None, [payload.outcome, payload.outcome_reason]))
    yield from payload.artifacts


def _working(payload: payloads.WorkingPayload, words: Words) -> Iterator[str]:
    yield payload.context_summary
    yield from payload.next_actions
    yield from payload.open_questions
    yield words(payload.active_constraints)
    if payload.environment is not None:
        yield words(payload.environment)
    yield _sentence([payload.thread_id, payload.state])


def _fact(payload: payloads.SemanticPayload, words: Words) -> Iterator[str]:
    yield _sentence([payload.subject, payload.predicate, words(payload.object)])
    yield words(payload.validity.conditions)


def _skill(payload: payloads.CompetencePayload, words: Words) -> Iterator[str]:
    yield payload.skill_name
    for trigger in payload.triggers:
        yield _sentence([trigger.signal, words(trigger.conditions)])
    for step in payload.recipe:
        yield _sentence([step.step, step.tool, words(step.args_schema), step.validation])
    yield _sentence(payload.required_tools)
    yield from payload.failure_modes
    yield from payload.fallbacks


def _plan(payload: payloads.PlanGraphPayload, words: Words) -> Iterator[str]:
    yield _sentence([payload.intent, payload.plan_id])
    for node in payload.nodes:
        yield _sentence([node.op, words(node.params), words(node.guards)])
    yield words(payload.constraints)
    yield _sentence([words(payload.inputs_schema), words(payload.outputs_schema)])


def _entity(payload: payloads.EntityPayload) -> Iterator[str]:
    yield payload.canonical_name
    yield from (alias.value for alias in payload.aliases)
    yield _sentence([payload.primary_type, *payload.types])
    yield from (identifier.value for identifier in payload.identifiers)
    yield payload.summary


def flat_words(value: Any) -> str:
    """The first words of a JSON value or of a model, keys included, in order."""
    words = islice(_words_in(value), _MAX_VALUE_PARTS)
    return _sentence(up_to(_MAX_VALUE_CHARACTERS, words))[:_MAX_VALUE_CHARACTERS]


def _as_json_text(value: Any) -> str:
    """A string unchanged, an empty value as "", every further JSON value or model as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, LargeValue):
        return f"[{value.size} bytes]"
    if isinstance(value, tuple):
        value = [as_json(each) for each in value]
    elif isinstance(value, Part):
        value = as_json(value)
    return "" if value in (None, [], {}) else compact_json(value)


def up_to(characters: int, words: Iterable[str]) -> Iterator[str]:
    """The words up to a number of characters; the last word may be cut."""
    for word in words:
        yield word[:characters]
        characters -= len(word)
        if characters <= 0:
            return


def _words_in(value: Any) -> Iterator[str]:
    """The words of a JSON value, keys included; "" for a value without words, to be counted."""
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
        case _:  # a claim, or a large value in the bucket
            yield ""


def _sentence(parts: Iterable[str]) -> str:
    return " ".join(part for part in parts if part)


def happened_at(record: MemoryRecord) -> str:
    """The time of an episode's first event, else of the first source, else of the record."""
    payload = record.payload
    if isinstance(payload, payloads.EpisodicPayload) and payload.timeline:
        return payload.timeline[0].t
    sources = record.provenance.sources
    return (sources[0].timestamp if sources else None) or record.created_at
