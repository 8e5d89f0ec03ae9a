"""References in captured content to other records, without a model."""

import re
from collections.abc import Iterator
from typing import Any

from membrane.domain.entities.looks import look_of
from membrane.domain.entities.names import MAX_SCANNED_CHARACTERS
from membrane.domain.records.interpretation import ReferenceCandidate

REFERENCE_CONFIDENCE = 0.5
"""The confidence of a reference that no model found, as in Membrane."""

MAX_REFERENCES = 8
"""References in fields of a capture: a reference other than an id takes up to two Queries."""

MAX_REFERENCE_CHARACTERS = 512

MAX_REFS_IN_TEXT = 4
"""Words of a text to look up as refs: a word takes up to two Queries."""

_REFERRING = frozenset({"id", "ids", "reference", "references", "reply_to", "related_records"})
"""Keys whose values refer to records, beside _REFERRING_ENDS."""

_REFERRING_ENDS = ("ref", "refs", "record_id", "record_ids")
"""Ends of keys whose values refer to records: the whole key, or the part after a `_`."""

_REF = re.compile(r"(?<![\w/.@:#-])[A-Za-z](?:[\w.]|-(?!\d)){0,63}[-:]\d{1,9}(?![\w/:-])")


def references_in_fields(content: Any, context: Any) -> list[ReferenceCandidate]:
    """The references as candidates, of the content first; equal references count once.

    More than MAX_REFERENCES are left out.
    """
    refs = [
        ref
        for fields in (content, context)
        for key, value in (fields.items() if isinstance(fields, dict) else ())
        if _refers(key)
        for ref in _texts(value)
        if len(ref) <= MAX_REFERENCE_CHARACTERS
    ]
    distinct = [*dict.fromkeys(refs)][:MAX_REFERENCES]
    return [ReferenceCandidate(ref=ref, confidence=REFERENCE_CONFIDENCE) for ref in distinct]


def refs_in(text: str) -> list[str]:
    """Words that may be the ref of an event, such as `note-27` or `thread-a9:2`.

    Tickets are no refs. At most MAX_REFS_IN_TEXT.
    """
    words = (each[0] for each in _REF.finditer(text[:MAX_SCANNED_CHARACTERS]))
    distinct = dict.fromkeys(each for each in words if look_of(each) is None)
    return [*distinct][:MAX_REFS_IN_TEXT]


def _refers(key: str) -> bool:
    is_end = any(key == each or key.endswith(f"_{each}") for each in _REFERRING_ENDS)
    return is_end or key in _REFERRING


def _texts(value: Any) -> Iterator[str]:
    """The text, or the texts of a list, trimmed, without blank ones."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each.strip():
            yield each.strip()
