"""Names and references in the fields of captured content: explicit keys, typed values, in order."""

from collections.abc import Iterator, Mapping
from typing import Any

from membrane.domain.capture.named_in_text import kind_by_look
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.records.interpretation import Mention, ReferenceCandidate

CONFIDENCE = 0.5
"""The confidence of what is read without a model, as in Membrane."""

MAX_REFERENCES = 8
"""References of one capture: each that is no id takes up to two Queries."""

CONCEPT = "concept"

_KINDS: Mapping[str, str] = {
    "subject": CONCEPT,
    "tool_name": "tool",
    "tool": "tool",
    "project": "project",
    "file": "file",
    "path": "file",
    "person": "person",
    "user": "person",
    "agent": "agent",
    "team": "team",
    "service": "service",
    "repository": "repository",
    "repo": "repository",
}
"""The keys whose values are names, and the kind of the named thing."""

_ENTITY = ("entity", "entities")
"""A key that begins or ends with one of these words, such as `entity_name`, names entities."""

_REFERRING = frozenset({"id", "ids", "reference", "references", "reply_to", "related_records"})
"""Keys whose values refer to records, beside _REFERRING_ENDS."""

_REFERRING_ENDS = ("ref", "refs", "record_id", "record_ids")
"""A key that is one of these words, or ends in `_` and one of them, refers to records."""


def mentions_in_fields(content: Any) -> list[Mention]:
    """A mention for each name in a field of the content, in the order of the fields.

    Numbers, objects and texts too long for a name name nothing; equal names count once.
    """
    found: dict[str, Mention] = {}
    for key, value in _fields_of(content):
        kind = _kind_of(key)
        for surface in _texts(value) if kind else ():
            term = term_of(surface)
            if term and len(surface) <= MAX_NAME_CHARACTERS:
                look = kind_by_look(surface) if kind == CONCEPT else None
                mention = Mention(surface=surface, entity_kind=look or kind, confidence=CONFIDENCE)
                found.setdefault(term, mention)
    return [*found.values()]


def references_in_fields(content: Any, context: Any) -> list[ReferenceCandidate]:
    """A candidate for each reference, those of the content first; equal references count once."""
    refs = [
        ref
        for fields in (content, context)
        for key, value in (fields.items() if isinstance(fields, dict) else ())
        if _refers(key)
        for ref in _texts(value)
        if len(ref) <= MAX_TEXT_CHARACTERS
    ]
    distinct = [*dict.fromkeys(refs)][:MAX_REFERENCES]
    return [ReferenceCandidate(ref=ref, confidence=CONFIDENCE) for ref in distinct]


def _fields_of(content: Any) -> Iterator[tuple[str, Any]]:
    """The fields of the content, then those of the fact in the content."""
    for fields in (content, content.get("fact")) if isinstance(content, dict) else ():
        if isinstance(fields, dict):
            yield from fields.items()


def _refers(key: str) -> bool:
    is_end = any(key == each or key.endswith(f"_{each}") for each in _REFERRING_ENDS)
    return is_end or key in _REFERRING


def _kind_of(key: str) -> str:
    """The kind of the things that a key names; empty for a key that names nothing."""
    if key in _KINDS:
        return _KINDS[key]
    first, _, _ = key.partition("_")
    _, _, last = key.rpartition("_")
    return CONCEPT if first in _ENTITY or last in _ENTITY else ""


def _texts(value: Any) -> Iterator[str]:
    """The text, or the texts of a list, trimmed, without blank ones."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each.strip():
            yield each.strip()
