"""Whether search finds a record, and when a change needs a new vector or ends the vector."""

from typing import Any, TypeGuard

from membrane.domain.language.timestamps import seconds_of
from membrane.domain.language.vocabulary import MARKER_PERIOD, AuditAction
from membrane.domain.records.interpretation import names_in
from membrane.domain.records.predicates import linked_entity_ids
from membrane.domain.records.states import is_retracted, state_of, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord

_NOT_SEARCHED = frozenset({"evidence", "metrics", "performance", "revision", "revision_policy"})
"""Fields of payloads that search ignores."""

MAX_VERSIONS = 1_000_000

_MOVE_DUE_ON = frozenset({AuditAction.CREATE, AuditAction.REINFORCE})
"""Actions that never make a record due earlier."""


def index_version(born_s: float, version: int) -> int:
    """A number that grows with each version, also if a later record or topic takes the same id."""
    return round(born_s * 1_000) * MAX_VERSIONS + version


def is_found(held: AnyRecord) -> TypeGuard[StoredRecord]:
    """Whether search finds the record: neither deleted nor retracted."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    return not is_retracted(held.record.payload)


def needs_vector(before: AnyRecord, after: AnyRecord, *, is_mistimed: bool) -> bool:
    """Whether a change leaves a record that search finds and that needs a new vector.

    `is_mistimed`: TTL will never remove the vector of a prunable record, or has already removed
    the vector.
    """
    if not is_found(after):
        return False
    return is_mistimed or not is_found(before) or _search_content(before) != _search_content(after)


def loses_vector(before: AnyRecord, after: AnyRecord, now_s: float) -> bool:
    """Whether a change ends the vector: search no longer finds the record, or it was erased.

    A record that was pruned before its erasure may have a vector that waits for TTL.
    """
    if is_found(after):
        return False
    if after.tombstone is not None and may_have_outlived_vector(before, now_s):
        return True
    return is_found(before) or (_is_erased(after) and not _is_erased(before))


def outlived_by(held: AnyRecord) -> str | None:
    """The id of the successor whose vector ends the vector of a superseded record.

    Until then the vector stays, so that a search finds the successor by the superseded record.
    """
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    return successor_of(held.record.payload) if is_retracted(held.record.payload) else None


def may_have_outlived_vector(held: AnyRecord, now_s: float) -> bool:
    """Whether the record was superseded so lately that its vector may not have expired."""
    if outlived_by(held) is None or not isinstance(held, StoredRecord):
        return False
    since = state_of(held.record.payload).since
    return since is not None and seconds_of(since) > now_s - MARKER_PERIOD.total_seconds()


def may_be_outlived(pruned: AnyRecord, unseen: int) -> bool:
    """Whether the vector of a record that the sweep prunes may expire too late by itself.

    A penalty or a shorter half-life makes the record due earlier, while the vector keeps the old
    instant. `unseen` is the number of older audit entries that were not loaded.
    """
    return unseen > 0 or any(entry.action not in _MOVE_DUE_ON for entry in pruned.trail)


def _search_content(stored: StoredRecord) -> tuple[Any, ...]:
    record = stored.record
    content = {name: value for name, value in record.payload if name not in _NOT_SEARCHED}
    first_source = record.provenance.sources[:1]
    classification = record.type, record.scope, record.sensitivity, record.tags
    read = record.interpretation
    interpreted = [] if read is None else [*filter(None, [read.summary, *names_in(read)])]
    return *classification, first_source, content, interpreted, linked_entity_ids(record.relations)


def _is_erased(held: AnyRecord) -> bool:
    return held.tombstone is not None and held.tombstone.is_erased
