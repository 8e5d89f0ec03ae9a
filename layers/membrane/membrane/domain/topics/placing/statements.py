"""What a record states in topics: where its revision stands, so that it can be withdrawn."""

from dataclasses import dataclass

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.placing.observations import Observed
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The statement of one record. It names no word of the record: erasing leaves no text here."""

    record_id: str
    content: str
    """The digest of what the record said when it was placed; see `content_of`."""
    topic_id: str
    line_id: str = ""
    """The line under that topic; empty where the topic knew the value and got no revision."""
    revision_id: str = ""
    valid_from: str = ""
    blobs: tuple[str, ...] = ()
    """Blobs that are still to be removed, once the revision is withdrawn."""
    is_withdrawn: bool = False
    """Whether the revision is gone, and only blobs are left to remove."""
    version: int = 0
    """0 = not written yet."""


def content_of(observed: Observed) -> str:
    """The digest of a fact: a fact with another digest has to be placed anew."""
    value = observed.object
    spelled = value.sha256 if isinstance(value, LargeValue) else canonical_json(value).decode()
    kind = "large" if isinstance(value, LargeValue) else "value"
    parts = (observed.subject, observed.predicate, observed.scope, observed.sensitivity)
    return digest(*parts, observed.observed_at or "", kind, spelled).hex()


def statement_of(
    observed: Observed, topic_id: str, written: tuple[tuple[Line, Revision], ...]
) -> Statement:
    """The statement of a fact that was placed in the topic; `written` has one revision or none."""
    placed = Statement(
        record_id=observed.record_id, content=content_of(observed), topic_id=topic_id
    )
    for line, revision in written:
        return Statement(
            record_id=placed.record_id,
            content=placed.content,
            topic_id=line.topic_id,
            line_id=line.id,
            revision_id=revision.id,
            valid_from=revision.valid_from,
        )
    return placed
