"""Writing documents: versions, expectations, rights, keys and races."""

import pytest

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.routes.documents import PUT_DOCUMENT
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    VersionMismatch,
)
from membrane.domain.language.values import LARGE_VALUE_BYTES
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import LosingDocuments, keeping
from tests.worlds.documents import DocumentCaller


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ann(clock: FakeClock) -> DocumentCaller:
    return DocumentCaller(keeping(now=clock))


def test_a_document_is_read_as_it_was_written(ann: DocumentCaller) -> None:
    written = ann.put("prefs", {"theme": "dark", "sizes": [1, 2.5, None]})

    document = ann.get("prefs")

    assert written["version"] == document["version"] == 1
    assert not written["existed"]
    assert document["value"] == {"theme": "dark", "sizes": [1, 2.5, None]}
    assert document["namespace"] == ["users", "ann"]
    assert document["key"] == "prefs"
    assert (document["scope"], document["sensitivity"]) == ("team", "low")
    assert "value" not in written["document"]


def test_an_overwrite_makes_the_next_version_and_keeps_the_creation(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.put("prefs", 1)
    clock.advance(seconds=5)

    written = ann.put("prefs", 2)

    document = ann.get("prefs", history=5)
    assert (written["version"], written["existed"]) == (2, True)
    assert document["created_at"] < document["updated_at"]
    assert [(each["version"], each["value"]) for each in document["history"]] == [(1, 1)]


def test_every_former_version_stays_readable_and_the_chain_holds(ann: DocumentCaller) -> None:
    for number in range(1, 31):
        ann.put("prefs", {"number": number, "padding": "x" * 150})

    document = ann.get("prefs", history=100, verify=True)

    assert [each["value"]["number"] for each in document["history"]] == list(range(29, 0, -1))
    assert [each["version"] for each in ann.get("prefs", history=7)["history"]] == [
        29, 28, 27, 26, 25, 24, 23,
    ]  # fmt: skip
    assert document["verified"]


@pytest.mark.parametrize(("present", "expected"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 1)])
def test_a_write_is_refused_unless_the_version_is_the_expected(
    present: int, expected: int, ann: DocumentCaller
) -> None:
    for number in range(present):
        ann.put("prefs", number)

    with pytest.raises(VersionMismatch, match=str(present) if present else "no document"):
        ann.put("prefs", "new", expected_version=expected)

    written = ann.put("prefs", "new", expected_version=present)
    assert written["version"] == present + 1


def test_a_write_that_expects_a_document_is_refused_without_one(ann: DocumentCaller) -> None:
    with pytest.raises(VersionMismatch, match="no document"):
        ann.put("prefs", 1, must_exist=True)
    with pytest.raises(NotFound):
        ann.get("prefs")


def test_the_value_of_another_actor_is_overwritten_with_revise_alone(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)

    with pytest.raises(PermissionDenied, match="revise"):
        ann.as_(actor_id="bob").put("prefs", 2)
    ann.as_(actor_id="bob", permissions=("ingest", "revise")).put("prefs", 2)

    with pytest.raises(PermissionDenied, match="revise"):
        ann.put("prefs", 3)
    assert ann.get("prefs")["principal"] == "bob"


def test_a_key_writes_and_reads_its_own_scope_alone(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)
    stranger = ann.as_(scopes=("other",))

    with pytest.raises(NotFound):
        stranger.get("prefs")
    with pytest.raises(NotFound):
        stranger.get("prefs", scope="team")
    with pytest.raises(PermissionDenied):
        stranger.put("prefs", 2, scope="team")
    assert stranger.put("prefs", 2)["version"] == 1
    assert ann.get("prefs")["value"] == 1


def test_a_hidden_document_reads_as_absent_and_keeps_its_place(ann: DocumentCaller) -> None:
    boss = ann.as_(actor_id="boss", ceiling="high")
    boss.put("prefs", "secret", sensitivity="high")

    with pytest.raises(NotFound):
        ann.get("prefs")
    with pytest.raises(AlreadyExists):
        ann.put("prefs", 1)
    assert ann.delete("prefs") == {"existed": False}
    assert boss.get("prefs")["value"] == "secret"


def test_nobody_writes_above_the_own_ceiling(ann: DocumentCaller) -> None:
    with pytest.raises(PermissionDenied):
        ann.put("prefs", 1, sensitivity="high")


def test_an_overwrite_keeps_the_sensitivity_and_lowers_it_as_admin_alone(
    ann: DocumentCaller,
) -> None:
    ann.put("prefs", 1, sensitivity="medium")
    ann.put("prefs", 2)

    assert ann.get("prefs")["sensitivity"] == "medium"
    with pytest.raises(PermissionDenied, match="admin"):
        ann.put("prefs", 3, sensitivity="low")
    admin = ann.as_(permissions=("ingest", "read", "revise", "admin"))
    assert admin.put("prefs", 3, sensitivity="low")["document"]["sensitivity"] == "low"


def test_a_repeat_under_the_key_changes_nothing(ann: DocumentCaller) -> None:
    first = ann.put("prefs", 1, idempotency_key="k1")
    ann.put("prefs", 2, idempotency_key="k2")

    again = ann.put("prefs", 1, idempotency_key="k1")

    assert again["replayed"]
    assert (again["version"], again["existed"]) == (first["version"], False)
    assert again["document"]["version"] == 2
    assert ann.get("prefs")["value"] == 2


def test_a_repeat_shows_nothing_of_a_document_that_is_hidden_or_deleted_since(
    ann: DocumentCaller,
) -> None:
    boss = ann.as_(actor_id="boss", permissions=("ingest", "read", "revise"), ceiling="hyper")
    for key in ("raised", "deleted"):
        ann.put(key, 1, idempotency_key=key)
    boss.put("raised", "secret", sensitivity="hyper", index=["secret.plan"])
    boss.delete("deleted")

    for key in ("raised", "deleted"):
        again = ann.put(key, 1, idempotency_key=key)
        assert again == {"version": 1, "existed": False, "replayed": True}


def test_the_version_for_a_condition_is_told_of_the_newest_version_alone(
    ann: DocumentCaller,
) -> None:
    asked = {"namespace": ["a"], "key": "k", "value": 1, "idempotency_key": "k1"}
    first = perform(PUT_DOCUMENT, asked, ann.principal, ann.services)
    perform(PUT_DOCUMENT, {**asked, "idempotency_key": "k2"}, ann.principal, ann.services)

    again = perform(PUT_DOCUMENT, asked, ann.principal, ann.services)

    assert (first.version, again.version) == (1, None)


def test_a_key_stands_for_one_request(ann: DocumentCaller) -> None:
    ann.put("prefs", 1, idempotency_key="k1")

    with pytest.raises(AlreadyExists):
        ann.put("prefs", 2, idempotency_key="k1")
    with pytest.raises(AlreadyExists):
        ann.delete("prefs", idempotency_key="k1")
    assert ann.get("prefs")["value"] == 1


def test_two_callers_may_use_the_same_key(ann: DocumentCaller) -> None:
    ann.put("prefs", 1, idempotency_key="k1")
    other = ann.as_(actor_id="bob", permissions=("ingest", "read", "revise"))

    assert other.put("prefs", 2, idempotency_key="k1")["version"] == 2


def test_a_write_whose_reply_is_lost_is_not_written_twice(clock: FakeClock) -> None:
    services = keeping(now=clock, documents=LosingDocuments(now=clock, lost=1))
    ann = DocumentCaller(services)

    written = ann.put("prefs", 1, expected_version=0)

    assert (written["version"], written["existed"]) == (1, False)
    assert ann.get("prefs")["version"] == 1


def test_a_document_with_a_period_is_hidden_from_that_instant_on(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.put("prefs", 1, ttl_seconds=60)
    clock.advance(seconds=59)
    assert ann.get("prefs")["expires_at"].startswith("2026-03-01T09:01:00")

    clock.advance(seconds=1)

    with pytest.raises(NotFound):
        ann.get("prefs")
    assert ann.search()["documents"] == []
    written = ann.put("prefs", 2, expected_version=0)
    assert not written["existed"]
    assert ann.get("prefs")["value"] == 2


def test_a_read_begins_the_period_anew_where_the_key_may_write(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.put("prefs", 1, ttl_seconds=60)
    clock.advance(seconds=40)

    ann.as_(permissions=("read",)).get("prefs", refresh=True)
    ann.put("young", 1, ttl_seconds=6_000)
    ann.get("young", refresh=True)
    assert ann.get("prefs")["expires_at"].startswith("2026-03-01T09:01:00")
    ann.get("prefs", refresh=True)

    assert ann.get("prefs")["expires_at"].startswith("2026-03-01T09:01:40")
    assert ann.get("prefs")["version"] == 1


def test_a_document_fades_where_asked_and_a_refresh_restores_it(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.put("prefs", 1, half_life_seconds=100)
    clock.advance(seconds=200)
    assert ann.get("prefs")["salience"] == pytest.approx(0.25)

    ann.get("prefs", refresh=True)
    clock.advance(seconds=100)

    assert ann.get("prefs")["salience"] == pytest.approx(0.5)
    clock.advance(seconds=900)
    with pytest.raises(NotFound):
        ann.get("prefs")


def test_a_large_value_is_read_back_whole(ann: DocumentCaller) -> None:
    value = {"text": "x" * LARGE_VALUE_BYTES}
    ann.put("prefs", value)
    ann.put("prefs", 2)

    text = ann.get("prefs", history=1)["history"][0]["value"]

    assert ann.services.records.value(text).startswith(b'{"text":"xxx')
    assert text.size == LARGE_VALUE_BYTES + len('{"text":""}')


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"namespace": []}, "namespace"),
        ({"namespace": ["a"] * 17}, "namespace"),
        ({"namespace": ["a", ""]}, "namespace.1"),
        ({"namespace": ["x" * 129]}, "namespace.0"),
        ({"namespace": ["é" * 65]}, "namespace.0"),
        ({"namespace": [".."]}, "namespace.0"),
        ({"namespace": ["a\0b"]}, "namespace.0"),
        ({"key": ""}, "key"),
        ({"key": "x" * 513}, "key"),
        ({"value": None}, "value"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": 1e12}, "ttl_seconds"),
        ({"half_life_seconds": -1}, "half_life_seconds"),
        ({"expected_version": -1}, "expected_version"),
        ({"index": "yes"}, "index"),
        ({"index": ["a"] * 9}, "index"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_bad_request_names_the_field_and_leaves_nothing(
    bad: dict[str, object], field: str, ann: DocumentCaller
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ann.perform_put({"namespace": ["a"], "key": "k", "value": 1, **bad})

    assert refusal.value.violations[0].field == field
    assert ann.search()["documents"] == []


@pytest.mark.parametrize("label", ["%", "a/b", "*", "?", "a\nb", "ü", "x" * 128, "a b", "#"])
def test_any_other_character_of_a_label_is_ordinary(label: str, ann: DocumentCaller) -> None:
    ann.perform_put({"namespace": [label] * 16, "key": label, "value": 1})

    found = ann.search(namespace_prefix=[label] * 16)["documents"]

    assert [(each["namespace"], each["key"]) for each in found] == [([label] * 16, label)]
