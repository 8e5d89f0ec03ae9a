"""Revisions: what replaces, varies, unites, takes back or contests records (spec 5)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language.fields import (
    LIST,
    MAX_ID_CHARACTERS,
    Scope,
    SensitivityWord,
    Tags,
    Text,
)
from membrane.domain.language.requests import OPTIONAL
from membrane.domain.lifecycle.requests import Reasoned, RecordChange
from membrane.domain.revision.successors import MAX_SOURCES

_Named = Annotated[str, Field(max_length=MAX_ID_CHARACTERS)]


class Supersede(RecordChange):
    """Replace one record by a new one, which stays in its scope and is as sensitive at least."""

    new_record: RecordInput


class Fork(RecordChange):
    """Put a new record beside one that stays as it is."""

    forked_record: RecordInput


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


class Merge(Reasoned):
    """Replace several records by a new one."""

    ids: Annotated[tuple[_Named, ...], LIST, AfterValidator(_distinct)]
    merged_record: RecordInput


class Retract(RecordChange):
    """Take a record back; it is kept for reading."""


class Contest(RecordChange):
    """Say that something speaks against a record.

    `contesting_ref` is the id of another record, or names evidence that is none.
    """

    contesting_ref: Annotated[Text | None, OPTIONAL] = None


class Resolve(RecordChange):
    """Decide about a contested record.

    It is kept, retracted, or superseded by another record that is there: by default by the one
    that contested it last, since it is contested.
    """

    resolution: Literal["keep", "supersede", "retract"]
    superseded_by: Annotated[_Named | None, OPTIONAL] = None


def _not_taken_back(value: Any) -> Any:
    """A number equals a truth value, and is none."""
    if value is True:
        raise PydanticCustomError("reserved", "to retract a record, post to its path /retract")
    if not isinstance(value, bool | None):
        raise PydanticCustomError("bool_type", "must be true or false")
    return value


class Reclassify(RecordChange):
    """Give a record another scope, sensitivity or tags, or take it up again.

    The empty scope is none at all.
    """

    scope: Scope | None = None
    sensitivity: SensitivityWord | None = None
    tags: Tags | None = None
    retracted: Annotated[Literal[False] | None, BeforeValidator(_not_taken_back)] = None
