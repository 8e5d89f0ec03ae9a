"""References of a capture to other records, by key or by the words before."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from membrane.domain.entities.looks import look_of
from membrane.domain.entities.texts import text_of
from membrane.domain.records.interpretation import ReferenceCandidate

CONFIDENCE = 0.5
"""The confidence of a reference, as in Membrane."""

MAX_REFERENCES = 24
"""References of a capture: each may become a relation of the record."""

MAX_REFERENCE_CHARACTERS = 512

_KEYS = frozenset(
    {
        "ref",
        "refs",
        "reference",
        "references",
        "record_id",
        "record_ids",
        "id",
        "ids",
        "reply_to",
        "source_ref",
        "parent_ref",
        "related_records",
    }
)

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_TURN = r"[A-Za-z0-9][\w.-]{0,127}+:\d{1,9}"
_IN_TEXT = re.compile(
    rf"\b(?:records?|refs?|references?|see)(?:[ :#=]|[ :]id[ :=]){{1,3}}[`\"'(\[]?"
    rf"(?P<ref>{_UUID}|{_TURN})(?![\w:/-])",
    re.IGNORECASE,
)


def references_of(content: Any, context: Any = None) -> tuple[ReferenceCandidate, ...]:
    """The references in fields of the content and of the context, then in the text, none resolved.

    At most MAX_REFERENCES, in the order of appearance, equal references once.
    """
    found = (*_in_fields(content), *_in_fields(context), *_in_text(text_of(content, context)))
    refs = dict.fromkeys(ref for ref in found if 0 < len(ref) <= MAX_REFERENCE_CHARACTERS)
    return tuple(
        ReferenceCandidate(ref=ref, confidence=CONFIDENCE) for ref in islice(refs, MAX_REFERENCES)
    )


def _in_fields(value: Any) -> Iterator[str]:
    """The texts, also in lists, under the keys of references."""
    for key, field in value.items() if isinstance(value, dict) else ():
        if key in _KEYS:
            refs = field if isinstance(field, list) else (field,)
            yield from (ref.strip() for ref in refs if isinstance(ref, str))


def _in_text(text: str) -> Iterator[str]:
    """Record ids and turns of threads behind a word such as `record`.

    A time, a port and a line of a file have the form of a turn.
    """
    for each in _IN_TEXT.finditer(text):
        thread, _, turn = each["ref"].partition(":")
        is_turn = any(map(str.isalpha, thread)) and thread.lower() != "localhost"
        if not turn or (is_turn and look_of(each["ref"]) is None):
            yield each["ref"]
