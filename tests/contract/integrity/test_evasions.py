"""Attempts to hide an edit from the verification or to stop the anchors; honest look-alikes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from membrane.domain.integrity.findings import FindingKind
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.integrity.anchor_table import AnchorProgress, Stage, anchor_table
from membrane.usecases.integrity.verify_table import PARTS, verify_gone, verify_pages
from membrane.usecases.machinery.calls import never
from tests.builders.requests import full_record, relation
from tests.builders.stored_records import changed, stored
from tests.worlds.anchored_tables import (
    anchored,
    change_record,
    edit,
    findings,
    forged_record_trail,
    kinds,
    own_item,
    put_back,
)
from tests.worlds.revision import done, id_of, revising
from tests.worlds.stores import Store

RECORD = "record#record-1"
OF_CONTENT = (
    *("document", "lifecycle", "history", "rank_pk", "rank_sk", "salience", "anchored_at"),
    *("initial_salience", "conf", "deletion_policy"),
)
"""Attributes that a tombstone without content lacks."""

HISTORY = [{"entry": 99, "was": [{"path": ["payload", "no", "such"], "value": 1}]}]


@pytest.fixture
def records(table: Store) -> Store:
    """Two records, anchored on two days."""
    for record_id in ("record-1", "record-2"):
        table.records.create(stored(record_id))
    for _ in range(2):
        change_record(table, "record-1")
        anchored(table.services)
        table.clock.advance(hours=24)
    return table


def all_kinds(table: Store) -> set[FindingKind]:
    return {each.kind for each in findings(table.services, table.topics)}


def remove_record(table: Store) -> None:
    for item in table.partition(RECORD):
        table.remove(item)


def put_progress(table: Store, change: Callable[[Any], Any]) -> None:
    """Change the stored progress of the anchors behind the service's back."""
    (item,) = [each for each in table.partition("settings") if each["sk"]["S"] == "anchor"]
    kept = change(json.loads(item["progress"]["S"]))
    table.put({**item, "progress": {"S": json.dumps(kept)}})


def test_progress_that_is_set_back_makes_nothing_signed_again(records: Store) -> None:
    edit(records, RECORD, "audit", lambda entries: forged_record_trail("record-1", entries))
    anchors = records.partition("anchors")
    first = min(item["sk"]["S"] for item in anchors)
    for item in anchors:
        records.remove(item)
    put_progress(records, lambda kept: {**kept, "progress": AnchorProgress(first).as_json()})

    for _ in range(2):
        anchored(records.services)
        records.clock.advance(hours=24)

    assert all_kinds(records) >= {FindingKind.ANCHOR_MISSING, FindingKind.REWRITTEN}


def test_progress_of_the_future_stops_no_anchor(records: Store) -> None:
    done_for_good = AnchorProgress("9999-01-01T00:00:00Z", Stage.DONE).as_json()
    put_progress(records, lambda kept: {**kept, "progress": done_for_good})

    anchored(records.services)

    assert len(records.services.integrity.newest_anchors()) == 3


@pytest.mark.parametrize("progress", [{}, {"progress": 5, "signature": "no"}])
def test_unreadable_progress_stops_no_anchor(records: Store, progress: dict[str, object]) -> None:
    put_progress(records, lambda _kept: progress)

    assert anchored(records.services).leaves == 2


def test_an_item_in_another_partition_does_not_stand_for_a_removed_record(
    records: Store,
) -> None:
    remove_record(records)
    records.put({"pk": {"S": "x#record-1"}, "sk": {"S": "record"}})

    assert all_kinds(records) == {FindingKind.GONE, FindingKind.UNREADABLE}
    assert anchored(records.services).damaged == 1


def without_content(table: Store, lasting_s: int) -> None:
    """Make a tombstone of the record without an entry of the deletion."""
    item = own_item(table, RECORD)
    now_s = table.services.now().timestamp()
    end: dict[str, Any] = {
        "deleted_at": {"N": str(now_s)},
        "deleted_reason": {"S": "deleted"},
        "expires_at": {"N": str(int(now_s) + lasting_s)},
    }
    left = {name: value for name, value in item.items() if name not in OF_CONTENT}
    table.put(left | end)


def test_content_that_is_gone_without_an_entry_of_its_end_is_found(records: Store) -> None:
    change_record(records, "record-1")
    without_content(records, 10**8)

    found = findings(records.services, records.topics)
    assert kinds(found, "record-1") == {FindingKind.CHANGED}


def test_a_record_that_a_forged_expiry_removed_is_gone(records: Store) -> None:
    change_record(records, "record-1")
    without_content(records, 3_600)
    anchored(records.services)
    records.clock.advance(hours=24)
    remove_record(records)

    assert all_kinds(records) == {FindingKind.GONE}


def test_a_history_that_cannot_be_is_found_and_stops_no_anchor(records: Store) -> None:
    records.put({**own_item(records, RECORD), "history": {"S": json.dumps(HISTORY)}})

    found = findings(records.services, records.topics)
    assert kinds(found, "record-1") == {FindingKind.UNREADABLE}
    assert anchored(records.services).damaged == 1


@pytest.mark.parametrize("instant", ["zzz", "9999-01-01T00:00:00Z"])
def test_an_anchor_that_nobody_signed_is_found_and_stops_no_anchor(
    records: Store, instant: str
) -> None:
    newest = max(records.partition("anchors"), key=lambda item: str(item["sk"]["S"]))
    for signed in ("{}", newest["signed"]["S"], newest["signed"]["S"].replace('"leaves":2', "")):
        records.put({**newest, "sk": {"S": instant}, "signed": {"S": signed}})

        anchored(records.services)
        records.clock.advance(hours=24)

        found = findings(records.services, records.topics)
        assert kinds(found, instant) == {
            FindingKind.ANCHOR_FORGED,
            FindingKind.ANCHOR_ONLY_IN_TABLE,
        }


@pytest.mark.parametrize("pages", [0, 1])
def test_a_copy_of_the_table_amid_an_anchor_shows_for_good(records: Store, pages: int) -> None:
    left = iter([False] * pages)
    assert not anchor_table(records.services, lambda: next(left, True)).is_done
    older = records.everything()
    for _ in range(3):
        change_record(records, "record-1")
        anchored(records.services)
        records.clock.advance(hours=24)

    put_back(records, older)

    assert FindingKind.ANCHOR_MISSING in all_kinds(records)
    for _ in range(2):
        anchored(records.services)
        records.clock.advance(hours=24)
    assert FindingKind.ANCHOR_MISSING in all_kinds(records)


def test_a_record_of_an_anchor_amid_the_verification_is_not_gone(records: Store) -> None:
    pages = verify_pages(None, (), records.services.but(topics=records.topics), never)
    assert pages.next is None
    records.records.create(stored("record-3"))
    anchored(records.services)

    gone = [
        verify_gone(part, {*pages.seen}, pages.anchors, records.services) for part in range(PARTS)
    ]

    assert gone == [([], 0)] * PARTS


def test_an_edge_of_a_record_that_changed_meanwhile_is_not_repaired(table: Store) -> None:
    services = revising(table)
    target = id_of(done(full_record(), services, key="target"))
    source = id_of(done(full_record(relations=[relation(target)]), services, key="source"))
    earlier = services.records.load(source)
    assert isinstance(earlier, StoredRecord)
    (inverse,) = [item for item in table.everything() if "source_id" in item]
    table.remove(inverse)
    (wrong,) = services.integrity.wrong_inverses([earlier])
    table.records.replace(earlier, changed(earlier))

    assert not services.integrity.put_inverse(wrong)
    assert [item for item in table.everything() if "source_id" in item] == []
