"""Requests that revise records, from supersede to reclassify."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language import fields
from membrane.domain.language.requests import OPTIONAL
from membrane.domain.lifecycle.requests import ChangeRequest, RecordChange
from membrane.domain.revision.changes import MAX_SOURCES

_IdText = Annotated[str, Field(max_length=fields.MAX_ID_CHARACTERS)]


class Supersede(RecordChange):
    """Replace a record by a new record of the same type.

    The old record is retracted and leads to the new record.
    """

    new_record: RecordInput
    """The record that takes the place of the old record, of the same type. A fact needs `evidence`
    in the payload or `sources` in the provenance."""


class Fork(RecordChange):
    """Put a variant beside a record, which stays active."""

    forked_record: RecordInput
    """The variant, of any type but `episodic`. A fact needs `evidence` in the payload or `sources`
    in the provenance."""


def _distinct(ids: tuple[str, ...]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(ids))
    if not distinct:
        raise PydanticCustomError("empty", "must not be empty")
    if len(distinct) > MAX_SOURCES:
        raise PydanticCustomError(
            "too_many",
            "too many ids: {count} (max {limit})",
            {"count": len(distinct), "limit": MAX_SOURCES},
        )
    return distinct


class Merge(ChangeRequest):
    """Replace several records by one new record."""

    ids: Annotated[tuple[_IdText, ...], fields.LIST, AfterValidator(_distinct)]
    """Ids of the records to replace, 1 to 22. Repeats count once."""
    merged_record: RecordInput
    """The record that replaces the sources, of any type but `episodic`. A fact needs `evidence` in
    the payload or `sources` in the provenance. Sources of several scopes need `admin`, and a
    `scope` here."""


class Retract(RecordChange):
    """Retract a record: no retrieval finds the record by default, and a read by id does."""


class Contest(RecordChange):
    """Contest a record; the record stays in doubt until `resolve` decides."""

    contesting_ref: Annotated[fields.Text | None, OPTIONAL] = None
    """Id of the record that speaks against the contested record, or a reference to other evidence,
    kept as text. Absent or empty: no evidence is named."""


class Resolve(RecordChange):
    """Decide the contest of a record: keep, supersede or retract the record."""

    resolution: Literal["keep", "supersede", "retract"]
    """`keep`: the record is active again. `retract`: the record is retracted. `supersede`: an
    existing record takes the place of the record."""
    superseded_by: Annotated[_IdText | None, OPTIONAL] = None
    """Id of the record that supersedes, of the same type; only with `supersede`. Absent or empty:
    the record that contested last."""


def _require_false_or_null(value: Any) -> Any:
    """Refuse `true`, with a hint; also 0 and 1, which Python takes for equal to truth values."""
    if value is True:
        raise PydanticCustomError("reserved", "to retract a record, post to its path /retract")
    if not isinstance(value, bool | None):
        raise PydanticCustomError("bool_type", "must be true or false")
    return value


CLASSIFYING_FIELDS = ("scope", "sensitivity", "tags")


class Reclassify(RecordChange):
    """Change scope, sensitivity or tags of a record, or make a retracted record active again."""

    scope: fields.Scope | None = None
    """New scope, at most 256 bytes of UTF-8, which the key must cover; empty: unscoped, which needs
    a key for all scopes. Absent: unchanged."""
    sensitivity: fields.SensitivityWord | None = None
    """New sensitivity. A lower sensitivity needs `admin`. Absent: unchanged."""
    tags: fields.Tags | None = None
    """New tags, which replace all earlier tags: at most 100, of at most 256 characters. Absent:
    unchanged."""
    retracted: Annotated[Literal[False] | None, BeforeValidator(_require_false_or_null)] = None
    """`false`: a retracted record is active again, as salient as a new record. Refused for a record
    that was superseded or merged. Absent: unchanged."""
