"""Deleting and erasing documents, and what their history shows afterwards."""

import pytest

from membrane.domain.documents.changes import Making, erase
from membrane.domain.language.errors import (
    InvalidArgument,
    NotFound,
    PermissionDenied,
    VersionMismatch,
)
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import keeping
from tests.worlds.documents import DocumentCaller


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ann(clock: FakeClock) -> DocumentCaller:
    return DocumentCaller(keeping(now=clock))


@pytest.fixture
def admin(ann: DocumentCaller) -> DocumentCaller:
    return ann.as_(actor_id="root", permissions=("ingest", "read", "revise", "admin"))


def test_a_deleted_document_is_absent_and_its_history_stays(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)

    assert ann.delete("prefs", rationale="moved away") == {"existed": True, "version": 2}

    with pytest.raises(NotFound):
        ann.get("prefs")
    assert ann.search()["documents"] == []
    document = ann.get("prefs", history=5, verify=True)
    assert document["deleted"]
    assert "value" not in document
    assert [each["value"] for each in document["history"]] == [1]
    assert document["verified"]


def test_an_absent_document_is_deleted_without_an_error(ann: DocumentCaller) -> None:
    assert ann.delete("prefs") == {"existed": False}
    ann.put("prefs", 1)
    ann.delete("prefs")

    assert ann.delete("prefs") == {"existed": False}


def test_a_document_made_anew_continues_the_chain(ann: DocumentCaller, clock: FakeClock) -> None:
    ann.put("prefs", 1)
    ann.delete("prefs")
    clock.advance(seconds=9)

    written = ann.put("prefs", 2, expected_version=0)

    document = ann.get("prefs", history=9, verify=True)
    assert (written["version"], written["existed"]) == (3, False)
    assert document["history"] == []
    assert document["verified"]
    assert document["created_at"] == document["updated_at"]


def test_a_document_made_anew_shows_nothing_of_a_hidden_one_before(
    ann: DocumentCaller, admin: DocumentCaller, clock: FakeClock
) -> None:
    boss = ann.as_(actor_id="boss", ceiling="high")
    boss.put("deleted", "secret", sensitivity="high", rationale="secret")
    boss.delete("deleted", rationale="secret")
    boss.put("expired", "secret", sensitivity="high", ttl_seconds=60)
    boss.put("lowered", "secret", sensitivity="medium")
    clock.advance(seconds=60)

    ann.put("deleted", 1)
    ann.append("expired", 1)
    admin.put("lowered", 1, sensitivity="low")

    reader = ann.as_(permissions=("read",), ceiling="low")
    for key in ("deleted", "expired", "lowered"):
        document = reader.get(key, history=9, items=9, verify=True)
        assert "secret" not in str(document)
        assert document["verified"]


def test_a_deletion_needs_the_expected_version(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)

    with pytest.raises(VersionMismatch):
        ann.delete("prefs", expected_version=2)
    with pytest.raises(VersionMismatch):
        ann.delete("other", expected_version=1)

    assert ann.delete("prefs", expected_version=1)["existed"]


def test_the_value_of_another_actor_is_deleted_with_revise_alone(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)

    with pytest.raises(PermissionDenied, match="revise"):
        ann.as_(actor_id="bob").delete("prefs")

    assert ann.get("prefs")["value"] == 1
    assert ann.as_(actor_id="bob", permissions=("ingest", "revise")).delete("prefs")["existed"]


def test_a_repeated_deletion_under_the_key_deletes_no_newer_document(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)
    ann.delete("prefs", idempotency_key="k1")
    ann.put("prefs", 2)

    again = ann.delete("prefs", idempotency_key="k1")

    assert again == {"existed": True, "version": 2, "replayed": True}
    assert ann.get("prefs")["value"] == 2


def test_an_erasure_removes_every_value_and_text_and_keeps_the_chain(
    ann: DocumentCaller, admin: DocumentCaller
) -> None:
    for number in range(12):
        ann.put("prefs", {"secret": f"word {number}"}, rationale=f"secret {number}")
    ann.append("prefs", "an item")

    assert admin.delete("prefs", erase=True)["existed"]

    document = admin.get("prefs", history=100, items=100, verify=True)
    assert document["verified"]
    assert document["items"] == []
    assert len(document["history"]) == 12
    assert not any("value" in each or each["rationale"] for each in document["history"])
    assert "secret" not in str(document)


def test_an_erasure_reaches_a_deleted_document(ann: DocumentCaller, admin: DocumentCaller) -> None:
    ann.put("prefs", "secret")
    ann.delete("prefs")

    admin.delete("prefs", erase=True)

    assert "secret" not in str(admin.get("prefs", history=9))


def test_an_erasure_that_was_cut_off_shows_no_former_value(
    ann: DocumentCaller, admin: DocumentCaller
) -> None:
    for number in range(12):
        ann.put("prefs", f"secret {number}", rationale="secret")
    documents = admin.services.documents
    [place] = [each.place for each in documents.page("team", "", None, 9).documents]
    before = documents.load(place)
    assert before is not None
    now = admin.services.now()
    planned = erase(before, Making(epoch_seconds(now), rfc3339(now), "root", "0f"), 60.0)
    documents.replace(before, planned.after, planned.leaving, history_until_s=1e12, large={})

    assert "secret" not in str(admin.get("prefs", history=100))


def test_a_list_with_items_of_others_is_deleted_with_revise_alone(ann: DocumentCaller) -> None:
    ann.put("chat", 1)
    ann.as_(actor_id="bob").append("chat", "of bob")

    with pytest.raises(PermissionDenied, match="revise"):
        ann.delete("chat")

    assert ann.items("chat") == ["of bob"]


def test_only_an_admin_erases(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)

    with pytest.raises(PermissionDenied, match="admin"):
        ann.delete("prefs", erase=True)

    assert ann.get("prefs")["value"] == 1


def test_erase_and_items_exclude_each_other(admin: DocumentCaller) -> None:
    with pytest.raises(InvalidArgument, match="exclude"):
        admin.delete("prefs", erase=True, items=1)
    with pytest.raises(InvalidArgument, match="exclude"):
        admin.delete("prefs", operation_id="op 1", items=1)
