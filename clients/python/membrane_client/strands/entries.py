"""Records as entries of Strands' memory, and what an entry says of the record."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from strands.memory import MemoryEntry

from membrane_client.values.payloads import EpisodicPayload, Payload, SemanticPayload
from membrane_client.values.records import MemoryRecord

TOOL_CALL = "tool_call"
"""The kind of an event that only repeats the calls in the tool graph."""


def note_of(content: str, metadata: Mapping[str, Any] | None) -> Any:
    """The object of the fact that keeps an entry."""
    return {"text": content, "metadata": dict(metadata)} if metadata else content


def entry_of(record: MemoryRecord, score: float | None) -> MemoryEntry | None:
    """The record as an entry; None for a record whose content the key may not see.

    The metadata of a note are as they were given, beside `record_id`, `type`, `score`, `salience`,
    `when` and `scope`.
    """
    if record.payload is None:
        return None
    text, metadata = _content(record.payload)
    about = {
        "record_id": record.id,
        "type": str(record.type),
        "score": score,
        "salience": record.salience,
        "when": record.created_at.isoformat(),
        "scope": record.scope,
    }
    return MemoryEntry(content=text, metadata={**about, **metadata})


def _content(payload: Payload) -> tuple[str, Mapping[str, Any]]:
    match payload:
        case SemanticPayload() as fact:
            return _note_in(fact) or (f"{fact.subject} {fact.predicate} {_words(fact.object)}", {})
        case EpisodicPayload() as episode:
            return "\n".join(_lines(episode)), {}
        case other:
            return _words(other.raw), {}


def _note_in(fact: SemanticPayload) -> tuple[str, Mapping[str, Any]] | None:
    """The inverse of `note_of`; None for a fact that is no note."""
    match fact.predicate, fact.object:
        case "noted", str(text):
            return text, {}
        case "noted", {"text": str(text), "metadata": dict(metadata)}:
            return text, metadata
        case _:
            return None


def _lines(episode: EpisodicPayload) -> Iterator[str]:
    for event in episode.timeline:
        if event.event_kind != TOOL_CALL or not episode.tool_graph:
            yield event.summary or f"{event.event_kind} {event.ref}"
    for node in episode.tool_graph:
        yield " ".join(filter(None, [node.tool, _words(node.args), _words(node.result)]))


def _words(value: Any) -> str:
    """The text, or the value as JSON; "" for none."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
