"""Captures in a store: what is stored of them, and what must hold of any state."""

from collections import Counter
from collections.abc import Mapping

from membrane.domain.capture.made_records import CREATED_ENTITY
from membrane.domain.entities.names import terms_of_entity
from membrane.domain.language.vocabulary import AuditAction, MemoryType, Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.wiring.world import World
from tests.worlds.stores import Store

Held = Mapping[str, AnyRecord]


def services_over(store: Store) -> World:
    """World over any implementation of the store, with counted ids and no waiting."""
    return store.services


def alive(found: Held) -> list[StoredRecord]:
    """The records that are not deleted."""
    return [
        each for each in found.values() if isinstance(each, StoredRecord) and each.tombstone is None
    ]


def of_type(found: Held, memory_type: MemoryType) -> list[StoredRecord]:
    """The records of the type that are neither deleted nor retracted."""
    return [
        each
        for each in alive(found)
        if each.type is memory_type and not is_retracted(each.record.payload)
    ]


def require_sound_captures(found: Held) -> None:
    """Names lead to one entity, mentions to records, and links to nothing more sensitive."""
    require_one_entity_a_name(found)
    for each in alive(found):
        if each.record.interpretation is not None:
            _require_sound_mentions(each, found)


def require_one_entity_a_name(found: Held) -> None:
    """No two active entities made by captures have one canonical term, scope and level.

    Except an entity that a split released: while the absorbing entity was deleted, or more
    sensitive than a capture, the capture may have made another entity of the name.
    """
    counted: Counter[tuple[str, Sensitivity, str]] = Counter()
    for each in of_type(found, MemoryType.ENTITY):
        payload = each.record.payload
        assert isinstance(payload, EntityPayload)
        term = terms_of_entity(payload)[0]
        was_merged = any(entry.action is AuditAction.MERGE for entry in each.trail)
        if each.trail[0].rationale == CREATED_ENTITY and not was_merged:
            counted[each.scope, each.sensitivity, term] += 1
    assert [each for each, number in counted.items() if number > 1] == []


def _require_sound_mentions(primary: StoredRecord, found: Held) -> None:
    interpretation = primary.record.interpretation
    assert interpretation is not None
    named = {each.canonical_entity_id for each in interpretation.mentions} - {""}
    linked = {each.target_id for each in primary.record.relations}
    assert named <= linked, f"{primary.id} names an entity without a link"
    for target_id in linked:
        assert target_id in found, f"{primary.id} leads to {target_id}, which never was"
        target = found[target_id]
        if isinstance(target, StoredRecord) and not _was_moved(target):
            assert target.scope in (primary.scope, ""), f"{primary.id} leads to another scope"
            is_clear = target.sensitivity.level <= primary.sensitivity.level
            assert is_clear, f"{primary.id} leads to a record that is more sensitive"


def _was_moved(stored: StoredRecord) -> bool:
    """Whether the record may have had another scope or sensitivity when a capture was linked."""
    return any(each.action is AuditAction.REVISE for each in stored.trail)
