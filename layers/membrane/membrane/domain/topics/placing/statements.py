"""Statements: the facts that feed topics, and the revision of each fact, for a later withdrawal.

Facts whose provenance begins with an observation feed topics.
"""

import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ProvenanceKind, Sensitivity
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.placing.observations import Observation
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.titles import CONTROL, MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS
from membrane.domain.topics.topic import Line

PROVENANCE = "observation"
"""The provenance of a revision fed by a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedFact:
    subject: str
    predicate: str
    object: Any
    """Any JSON value, or the `LargeValue` in place of a large value."""
    scope: str
    sensitivity: Sensitivity
    record_id: str
    observed_at: str | None = None
    """RFC 3339; None for an unknown time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The place of one record's revision, without a word of the record: erasure leaves no text."""

    record_id: str
    content: str
    """The digest of the fact at its placement; see `content_of`."""
    topic_id: str
    line_id: str = ""
    """The line under the topic; empty if the topic had the value and got no revision."""
    revision_id: str = ""
    valid_from: str = ""
    blobs: tuple[str, ...] = ()
    """Blobs still to be removed after the revision is withdrawn."""
    is_withdrawn: bool = False
    """Whether the revision is gone, with only blobs left to remove."""
    version: int = 0
    """0 = not written yet."""


def observed_fact(record: MemoryRecord) -> ObservedFact | None:
    """The fact that the record feeds; None for a record not observed, or retracted."""
    payload, sources = record.payload, record.provenance.sources
    if not isinstance(payload, SemanticPayload) or is_retracted(payload):
        return None
    if not sources or sources[0].kind is not ProvenanceKind.OBSERVATION:
        return None
    stated, recorded = payload.validity.start or sources[0].timestamp, record.created_at
    is_past = stated is not None and not is_before(recorded, stated)
    return ObservedFact(
        subject=payload.subject,
        predicate=payload.predicate,
        object=payload.object,
        scope=record.scope,
        sensitivity=record.sensitivity,
        record_id=record.id,
        observed_at=stated if is_past else recorded,
    )


def observation_from(observed: ObservedFact, value: Any, now: str) -> Observation:
    """The observation of a fact: the subject is the title, the predicate the field.

    `value` is the object itself, never a `LargeValue`. A field takes the type of the newest fact.
    Raises InvalidArgument for a blank subject or predicate.
    """
    title, name = _plain_name(observed.subject), _plain_name(observed.predicate)
    if not title or not name:
        raise InvalidArgument("an observation needs a subject and a predicate to be placed")
    is_past = observed.observed_at is not None and not is_before(now, observed.observed_at)
    write = FieldWrite(
        name=name[:MAX_NAME_CHARACTERS],
        value=value,
        provenance=PROVENANCE,
        valid_from=observed.observed_at if is_past else None,
        evidence=observed.record_id,
    )
    return Observation(
        scope=observed.scope,
        sensitivity=observed.sensitivity,
        title=title[:MAX_TITLE_CHARACTERS],
        writes=(write,),
        retypes=True,
    )


def content_of(observed: ObservedFact) -> str:
    """The digest of a fact: a fact with a new digest must be placed again."""
    value = observed.object
    spelled = value.sha256 if isinstance(value, LargeValue) else canonical_json(value).decode()
    kind = "large" if isinstance(value, LargeValue) else "value"
    parts = (observed.subject, observed.predicate, observed.scope, observed.sensitivity)
    return digest(*parts, observed.observed_at or "", kind, spelled).hex()


def statement_of(
    observed: ObservedFact, topic_id: str, written: tuple[tuple[Line, Revision], ...]
) -> Statement:
    """The statement of a fact placed in the topic; `written` has one revision or none."""
    content = content_of(observed)
    placed = Statement(record_id=observed.record_id, content=content, topic_id=topic_id)
    for line, revision in written:
        return replace(
            placed,
            topic_id=line.topic_id,
            line_id=line.id,
            revision_id=revision.id,
            valid_from=revision.valid_from,
        )
    return placed


def _plain_name(text: str) -> str:
    plain = (" " if unicodedata.category(each) == CONTROL else each for each in text)
    return "".join(plain).strip()
