"""Keyed documents that were exported and restored answer every request as the first ones do."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from membrane_local.functions import LocalContext
from membrane_local.storage.stores import TABLE
from tests.builders.random_documents import LARGE, Documents, documents_of, repeats_of
from tests.worlds.agreed import OF_DOCUMENTS, Place
from tests.worlds.api import Api
from tests.worlds.archiving import Pair, downloaded, exported, file_of, lines_in, restored
from tests.worlds.depth import cases

DOCUMENTS = cases(1_000, 60)
LATER = cases((60_000,), (2_000, 58_000, 300 * 86_400))
"""Seconds after which some of the documents have expired; a thousand are read once more alone."""

BOOK = "/v1/documents/books/moby"
LEFT_OUT = object()

LAST = {"keyed_write", "keyed_document"}
"""The lines of a document that a run of an export writes again after a change."""


def test_restored_documents_answer_every_read_and_every_repeat_alike(pair: Pair) -> None:
    documents = Documents(pair.source, Random(1))
    documents.fill(DOCUMENTS)
    content = exported(pair.source)
    pair.level_clocks()

    result = restored(pair.target, content)

    counts = lines_in(content)[-1]["counts"]
    assert counts.keys() == OF_DOCUMENTS
    assert counts["keyed_document"] == len(documents.places)
    assert (result["created"], result["refused"]) == (sum(counts.values()), 0), result
    expected = documents_of(pair.source, documents)
    for path, found in documents_of(pair.target, documents).items():
        assert found == expected[path], path
    assert inner(exported(pair.target)) == inner(content)
    again = restored(pair.target, content, "again.ndjson")
    assert (again["created"], again["replayed"]) == (0, result["created"]), again["refusals"]
    assert again["refused"] == 0
    assert repeats_of(pair.target, documents) == repeats_of(pair.source, documents)
    for seconds in LATER:
        pair.advance(seconds)
        assert documents_of(pair.target, documents) == documents_of(pair.source, documents)


def inner(content: bytes) -> list[bytes]:
    """The lines between the first and the last; the order is of the table."""
    return sorted(content.splitlines()[1:-1])


def a_document(api: Api) -> None:
    """Two items of former versions, a value in the bucket, a list, and keyed writes."""
    for number in range(20):
        value = "x" * LARGE if number == 2 else f"page {number}"
        asked = {"value": value, "operation_id": f"edition {number}", "ttl_seconds": 9_000}
        assert api.call("PUT", BOOK, asked).status == 200
    keyed = {"idempotency-key": "note"}
    assert api.post(f"{BOOK}/items", {"items": ["note"]}, headers=keyed).status == 200


def lines_of(content: bytes, kind: str) -> list[Any]:
    return [line for line in lines_in(content) if line.get("kind") == kind]


def edited(content: bytes, edit: Callable[[Any], object]) -> bytes:
    """The file with its lines of documents changed; the frame fits again."""
    first, *others, _ = lines_in(content)
    kept = [line for line in others if edit(line) is not LEFT_OUT]
    return file_of(first, *kept)


def set_in(kind: str, *path: str | int, to: Any) -> Callable[[Any], object]:
    def edit(line: Any) -> None:
        if line["kind"] == kind:
            holder = line
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = to

    return edit


SPOILED = {
    "a changed value": set_in("keyed_document", "versions", -1, "text", to='"other"'),
    "a changed actor": set_in("keyed_document", "versions", -1, "principal", to="mallory"),
    "an unknown field": set_in("keyed_document", "document", "more", to=1),
    "a changed former value": set_in("keyed_versions", "versions", 3, "text", to='"other"'),
    "a changed reason": set_in("keyed_versions", "versions", 3, "rationale", to="other"),
    "a former version less": lambda line: "versions" in line and line["versions"].pop(1),
    "no former versions": lambda line: LEFT_OUT if line["kind"] == "keyed_versions" else None,
    "another value of the bucket": set_in("keyed_value", "text", to='"other"'),
    "another sensitivity word": set_in("keyed_document", "document", "sensitivity", to="secret"),
    "another expiry": set_in("keyed_document", "at", "expires_at_s", to=9e9),
    "a later beginning": set_in("keyed_document", "document", "shown_from", to=99),
}


@pytest.mark.parametrize("edit", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_document_is_refused_by_name_and_leaves_no_item(
    pair: Pair, edit: Callable[[Any], object]
) -> None:
    a_document(pair.source)
    content = exported(pair.source)
    (line,) = lines_of(content, "keyed_document")
    place = Place("", tuple(line["at"]["namespace"]), line["at"]["key"]).id

    result = restored(pair.target, edited(content, edit))

    assert place in result["refusals"][-1]["reason"], result["refusals"]
    left = [each for each in pair.target.stored() if "once#" in each or "versions#" in each]
    assert left == []
    assert pair.target.get(BOOK).status == 404
    assert restored(pair.target, content, "good.ndjson")["refused"] == 0
    assert pair.target.get(f"{BOOK}?verify=true&history=50").body == (
        pair.source.get(f"{BOOK}?verify=true&history=50").body
    )


TOO_LONG: dict[str, dict[str, Any]] = {
    "keyed_versions": {},
    "keyed_document": {},
    "keyed_items": {"items": ["x" * LARGE]},
    "keyed_write": {"taken": ["x" * 3 * LARGE]},
}


@pytest.mark.parametrize(("kind", "more"), TOO_LONG.items(), ids=TOO_LONG)
def test_json_that_a_write_keeps_out_of_the_table_is_refused_in_a_line(
    pair: Pair, kind: str, more: dict[str, Any]
) -> None:
    a_document(pair.source)
    assert pair.source.call("PUT", BOOK, {"value": "x" * LARGE}).status == 200
    content = exported(pair.source)
    value, *_ = lines_of(content, "keyed_value")

    def edit(line: Any) -> None:
        if line["kind"] == kind:
            line.get("chunk", line).update(more)
            for version in line.get("versions", ()):
                if isinstance(version["text"], dict):
                    version["text"] = value["text"]

    result = restored(pair.target, edited(content, edit))

    assert result["refused"] > 0
    reasons = [each["reason"] for each in result["refusals"]]
    assert any("bytes at most" in each for each in reasons), reasons


def test_a_line_with_more_former_versions_than_an_item_has_is_refused(pair: Pair) -> None:
    a_document(pair.source)
    for number in range(10):
        assert pair.source.call("PUT", BOOK, {"value": number}).status == 200
    content = exported(pair.source)
    former = lines_of(content, "keyed_versions")
    joined = [version for line in former for version in line["versions"]]
    first, *others, _ = lines_in(content)
    *left, document = [line for line in others if line["kind"] != "keyed_versions"]
    several = {**former[0], "versions": joined}

    result = restored(pair.target, file_of(first, *left, several, document))

    assert len(former) > 1
    assert "former versions at most" in result["refusals"][0]["reason"]
    assert pair.target.get(BOOK).status == 404


def test_a_file_without_documents_has_the_former_version(pair: Pair) -> None:
    before = lines_in(exported(pair.source))[0]
    a_document(pair.source)
    after = lines_in(exported(pair.source))[0]

    assert (before["version"], after["version"]) == (1, 2)


def test_a_place_that_has_another_document_is_refused_and_stays_as_it_is(pair: Pair) -> None:
    a_document(pair.source)
    content = exported(pair.source)
    pair.advance(1)
    assert pair.target.call("PUT", BOOK, {"value": "mine"}).status == 200
    before = pair.target.stored()

    result = restored(pair.target, content)

    assert (result["created"], result["refused"]) == (0, len(lines_in(content)) - 2)
    assert pair.target.stored() == before


def test_a_document_that_has_changed_since_the_restore_is_refused_and_loses_nothing(
    pair: Pair,
) -> None:
    a_document(pair.source)
    content = exported(pair.source)
    restored(pair.target, content, "first.ndjson")
    assert pair.target.call("PUT", BOOK, {"value": "later"}).status == 200
    before = pair.target.stored()

    result = restored(pair.target, content, "second.ndjson")

    (refusal,) = result["refusals"]
    assert lines_in(content)[refusal["line"] - 1]["kind"] == "keyed_document"
    assert pair.target.stored() == before
    assert pair.target.get(f"{BOOK}?verify=true").body["document"]["verified"]


def test_a_file_is_restored_where_the_restore_of_a_later_file_was_broken_off(pair: Pair) -> None:
    a_document(pair.source)
    content, query = exported(pair.source), f"{BOOK}?verify=true&history=50"
    expected = pair.source.get(query).body
    for number in range(20):
        assert pair.source.call("PUT", BOOK, {"value": number, "ttl_seconds": 9_000}).status == 200
    later = edited(
        exported(pair.source), lambda line: LEFT_OUT if line["kind"] == "keyed_document" else None
    )

    assert restored(pair.target, later, "later.ndjson")["refused"] == 0
    assert restored(pair.target, content)["refused"] == 0
    assert pair.target.get(query).body == expected


def test_a_document_that_expired_between_two_restores_is_not_made_again(pair: Pair) -> None:
    a_document(pair.source)
    content = exported(pair.source)
    first = restored(pair.target, content, "first.ndjson")
    pair.advance(9_001)
    for place in [each for each in pair.target.stored() if each.startswith("documents#")]:
        pk, sk = place.split(" ", 1)
        key: Any = {"pk": {"S": pk}, "sk": {"S": sk}}
        pair.target.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)
    before = pair.target.stored()

    again = restored(pair.target, content, "second.ndjson")

    assert (again["created"], again["replayed"]) == (0, first["created"])
    assert again["refused"] == 0
    assert pair.target.stored() == before


def test_an_export_has_no_content_that_readers_of_the_document_do_not_see(pair: Pair) -> None:
    secret = {"value": "a secret", "rationale": "hush", "sensitivity": "hyper"}
    assert pair.source.call("PUT", BOOK, secret).status == 200
    assert pair.source.post(f"{BOOK}/items", {"items": ["a hidden item"]}).status == 200
    assert pair.source.call("DELETE", f"{BOOK}?items=1").status == 200
    assert pair.source.call("PUT", BOOK, {"value": "open", "sensitivity": "low"}).status == 200
    low = pair.source.key_for(max_sensitivity="low")

    for content in (exported(pair.source), exported(pair.source, key=low)):
        assert b"open" in content
        assert b"secret" not in content
        assert b"hush" not in content
    hidden = {"value": "a secret", "sensitivity": "hyper"}
    assert pair.source.call("PUT", BOOK, hidden).status == 200
    assert lines_in(exported(pair.source, key=low))[-1]["counts"] == {}


def test_a_damaged_document_and_a_damaged_item_become_lines(pair: Pair) -> None:
    a_document(pair.source)
    assert pair.source.call("PUT", "/v1/documents/books/other", {"value": 1}).status == 200
    table = pair.source.functions.store.dynamodb
    for place, item in pair.source.stored().items():
        if (place.startswith("documents#") and "other" in place) or "versions#" in place:
            spoiled: Any = {**item, "v": {"S": "?"}}
            table.put_item(TableName=TABLE, Item=spoiled)

    content = exported(pair.source)

    counts = lines_in(content)[-1]["counts"]
    assert (counts["damaged"], counts["keyed_document"]) == (3, 1)
    assert restored(pair.target, content)["refused"] == 4
    assert pair.target.get(BOOK).status == 404


def test_an_export_goes_on_amid_a_document_that_changes_between_the_runs(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run writes one line; puts between the runs move further versions beside the document."""
    api, started = pair.source, list[Any]()
    a_document(api)
    functions = api.functions
    monkeypatch.setattr(functions, "invoke_later", lambda _, event: started.append(event))
    monkeypatch.setattr(LocalContext, "get_remaining_time_in_millis", lambda _: 0)
    assert api.post("/v1/exports", {}).status == 202
    export = started[0]["membrane-export"]["id"]
    for number, event in enumerate(started):
        api.invoke("ExportFunction", event)
        for each in range(9 if number < 3 else 0):
            asked = {"value": each, "operation_id": f"later {number} {each}"}
            assert api.call("PUT", BOOK, asked).status == 200
    parts = api.get(f"/v1/exports/{export}").body["parts"]
    content = b"".join(downloaded(api, part["url"]) for part in parts)
    monkeypatch.undo()

    result = restored(pair.target, content)

    assert result["refused"] == 0, result
    query = "?verify=true&history=100&items=9"
    assert pair.target.get(f"{BOOK}{query}").body == api.get(f"{BOOK}{query}").body
    asked = {"value": 8, "operation_id": "later 2 8"}
    assert pair.target.call("PUT", BOOK, asked).body == api.call("PUT", BOOK, asked).body


AFTER_A_DELETION: dict[str, list[tuple[str, str, Any]]] = {
    "deleted": [("DELETE", BOOK, {})],
    "erased": [("DELETE", f"{BOOK}?erase=true", {})],
    "made anew": [("DELETE", BOOK, {}), ("PUT", BOOK, {"value": "new"})],
}


@pytest.mark.parametrize("calls", AFTER_A_DELETION.values(), ids=AFTER_A_DELETION)
def test_what_a_deletion_removes_between_two_runs_of_an_export_is_not_restored(
    pair: Pair, calls: list[tuple[str, str, Any]]
) -> None:
    a_document(pair.source)
    for items, keyed in ((["a secret"], "second"), (["taken off"], "third")):
        headers = {"idempotency-key": keyed}
        assert pair.source.post(f"{BOOK}/items", {"items": items}, headers=headers).status == 200
    headers = {"idempotency-key": "taking off"}
    assert pair.source.call("DELETE", f"{BOOK}?items=1", {}, headers=headers).status == 200
    before = lines_in(exported(pair.source))
    pair.advance(1)
    for method, path, body in calls:
        assert pair.source.call(method, path, body).status == 200
        pair.advance(1)
    later = lines_in(exported(pair.source))
    content = file_of(*before[:-2], *(each for each in later if each.get("kind") in LAST))

    result = restored(pair.target, content)

    assert result["refused"] == 0, result
    assert "secret" not in str(pair.target.stored())
    assert "taken off" not in str(pair.target.stored())
    if calls == AFTER_A_DELETION["erased"]:
        assert "page" not in str(pair.target.stored())
    query = f"{BOOK}?history=99&items=9"
    assert pair.target.get(query).body == pair.source.get(query).body
    again = restored(pair.target, content, "again.ndjson")
    assert (again["created"], again["refused"]) == (0, 0), again
