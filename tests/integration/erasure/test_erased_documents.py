"""Erasures of keyed documents: what a subject finds, and that nothing of the person is left."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.integration.erasure.test_erasures import (
    Death,
    certificate,
    counts,
    erase,
    run,
    start,
    state,
)
from tests.worlds.agreed import Place, head_key
from tests.worlds.api import Api
from tests.worlds.archiving import exported, file_of, lines_in, restored
from tests.worlds.faults import Killed, Moment, at
from tests.worlds.planted_person import LARGE, NAME, SCOPE, bucket_of, keep_documents, places_with
from tests.worlds.recall import advance

TEAM = "team"
Listed = Mapping[tuple[str, ...], tuple[str, str]]


def put(api: Api, path: str, value: Any, **fields: Any) -> None:
    reply = api.call("PUT", f"/v1/documents/{path}", {"value": value, **fields})
    assert reply.status < 300, reply.body


def place_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    found = entry["place"]
    return (found["scope"], *found["namespace"], found["key"])


def documents_in(listed: Mapping[str, Any]) -> Listed:
    """Ground and action of each document of a listing that is still there, by its place."""
    found = [each for each in listed["findings"] if "place" in each]
    return {place_of(each): (each["ground"], each["action"]) for each in found}


def kept_in(listed: Mapping[str, Any]) -> list[str]:
    return [each["id"] for each in listed["findings"] if each["action"] == "keep"]


def test_documents_about_the_subject_go_and_mentions_go_by_the_ids_of_the_listing(
    api: Api,
) -> None:
    keep_documents(api, TEAM, NAME)
    keep_documents(api, TEAM, "plain")
    keep_documents(api, "", "unscoped")
    put(api, "plain/other", "of somebody else", scope=TEAM)

    listed = erase(api, subject=NAME)
    erased = erase(api, ids=kept_in(listed))

    assert documents_in(listed) == {
        ("team", "plain", "plain"): ("mentions", "keep"),
        ("team", "plain", "deleted"): ("mentions", "keep"),
        ("", "unscoped", "unscoped"): ("mentions", "keep"),
        ("", "unscoped", "deleted"): ("mentions", "keep"),
    }
    assert counts(listed["removed"])["document", "erase"] == 2
    assert counts(erased["removed"])["document", "erase"] == 4
    assert places_with(NAME, api, bucket_of(api)) == []
    assert api.get(f"/v1/documents/plain/other?scope={TEAM}").status == 200


def remove_head(api: Api, place: Place) -> None:
    """Remove the head of a document alone, as TTL does."""
    gone = api.functions.store.dynamodb.delete_item(
        TableName=TABLE, Key=head_key(place), ReturnValues="ALL_OLD"
    )
    assert gone["Attributes"]


def test_a_subject_takes_everything_beside_a_large_document_whose_head_ttl_has_removed(
    api: Api,
) -> None:
    keep_documents(api, TEAM, NAME)
    remove_head(api, Place(TEAM, (NAME,), NAME))

    erased = erase(api, subject=NAME)

    assert documents_in(erased) == {}
    assert counts(erased["found"])["document", "erase"] == 2
    assert places_with(NAME, api, bucket_of(api)) == []
    signed, entries = certificate(api, str(erased["id"]))
    assert sorted(each["audit_count"] for each in entries) == [2, 3]
    assert signed["unreadable"] == 0


def test_the_certificate_says_what_stays_of_a_document_whose_head_ttl_has_removed(api: Api) -> None:
    place = Place("", ("a",), NAME)
    for number in range(12):
        put(api, f"a/{NAME}", f"{number} {NAME}")
    api.post(f"/v1/documents/a/{NAME}/items", {"items": [NAME, NAME]})
    headers = {"idempotency-key": "k"}
    api.call("DELETE", f"/v1/documents/a/{NAME}?items=1", headers=headers)
    remove_head(api, place)

    erased = erase(api, subject=NAME)

    left = {each.split("#")[1] for each in places_with(NAME, api, bucket_of(api))}
    assert left == {f"{place.id} {kind}" for kind in ("versions", "items", "once")}
    stays = {each["what"]: each["why"] for each in certificate(api, str(erased["id"]))[0]["stays"]}
    assert stays["versions"].endswith("values and items beside expired documents")


def test_former_versions_that_were_restored_without_an_end_lose_their_texts(api: Api) -> None:
    for number in range(12):
        put(api, "a/b", f"{number} {NAME}", scope=SCOPE)
    first, *lines, _ = lines_in(exported(api))
    open_ended = [each | {"until_s": None} for each in lines]
    api.application.reset()
    assert restored(api, file_of(first, *open_ended))["refused"] == 0
    remove_head(api, Place(SCOPE, ("a",), "b"))

    erased = erase(api, scope=SCOPE)

    assert certificate(api, str(erased["id"]))[0]["unreadable"] == 0
    assert places_with(NAME, api, bucket_of(api)) == []
    (left,) = [item for place, item in api.stored().items() if place.startswith("document#")]
    assert "expires_at" in left


def test_a_dry_run_shows_where_each_document_is(api: Api) -> None:
    put(api, f"people/{NAME}", "a", scope=TEAM)
    put(api, f"{NAME}/likes", "b")
    put(api, f"people/{NAME.lower()}", "c")
    put(api, "people/ann", f"knows @{NAME}.")
    put(api, "people/bob", f"knows {NAME}an")

    listed = erase(api, subject=NAME, dry_run=True)

    assert documents_in(listed) == {
        ("team", "people", NAME): ("is_about", "erase"),
        ("", NAME, "likes"): ("is_about", "erase"),
        ("", "people", NAME.lower()): ("is_about", "keep"),
        ("", "people", "ann"): ("mentions", "keep"),
    }
    assert {(each["text"], each["found"]) for each in listed["spellings"]} == {
        (NAME, 2),
        (NAME.lower(), 1),
    }
    assert documents_in(erase(api, scope=TEAM, dry_run=True)) == {
        ("team", "people", NAME): ("is_of", "erase")
    }


def test_an_id_of_the_newest_listing_leads_to_the_document_whatever_was_listed_before(
    api: Api,
) -> None:
    put(api, "a/b", NAME)
    erase(api, subject=NAME, dry_run=True)
    advance(api, days=300)
    kept = kept_in(erase(api, subject=NAME, dry_run=True))
    advance(api, days=200)

    erased = erase(api, ids=kept)

    assert counts(erased["removed"])["document", "erase"] == 1
    assert places_with(NAME, api, bucket_of(api)) == []


def _value(api: Api) -> None:
    put(api, "a/b", {"deep": [{"who": f"it is {NAME}!"}]})


def _member(api: Api) -> None:
    put(api, "a/b", {NAME: 1})


def _large(api: Api) -> None:
    put(api, "a/b", LARGE)


def _former(api: Api) -> None:
    put(api, "a/b", NAME)
    for number in range(12):
        put(api, "a/b", number)


def _rationale(api: Api) -> None:
    put(api, "a/b", 1, rationale=f"{NAME} asked")
    put(api, "a/b", 2)


def _item(api: Api) -> None:
    api.post("/v1/documents/a/b/items", {"items": [1, {"who": NAME}]})


def _taken_item(api: Api) -> None:
    _item(api)
    taken = api.call("DELETE", "/v1/documents/a/b?items=2", headers={"idempotency-key": "k"})
    assert len(taken.body["items"]) == 2


@pytest.mark.parametrize(
    "write", [_value, _member, _large, _former, _rationale, _item, _taken_item]
)
def test_a_subject_is_found_wherever_a_document_has_it(
    api: Api, write: Callable[[Api], None]
) -> None:
    write(api)

    listed = erase(api, subject=NAME, dry_run=True)

    assert documents_in(listed) == {("", "a", "b"): ("mentions", "keep")}


def test_a_user_is_mentioned_by_the_name_of_the_scope(api: Api) -> None:
    put(api, "a/b", f"ask user:{NAME} first", scope=TEAM)
    put(api, "a/c", f"ask {NAME} first", scope=TEAM)

    listed = erase(api, subject=f"user:{NAME}", dry_run=True)

    assert documents_in(listed) == {("team", "a", "b"): ("mentions", "keep")}


def test_the_certificate_has_the_end_of_a_documents_chain_and_no_name(api: Api) -> None:
    keep_documents(api, f"user:{NAME}", NAME)
    put(api, "plain/other", NAME, scope=TEAM)

    erased = erase(api, scope=f"user:{NAME}")

    signed, entries = certificate(api, str(erased["id"]))
    assert [each["kind"] for each in entries] == ["document", "document"]
    place = Place(f"user:{NAME}", (NAME,), NAME)
    chains = {each["id"]: each for each in entries}
    assert chains[f"doc.{place.id}"]["audit_count"] == 14
    assert all(each["hash_before"] and each["hash_after"] for each in entries)
    assert NAME not in repr([signed, entries])
    assert signed["unreadable"] == 0


def killed_and_run_again(api: Api, erasure_id: str, step: int) -> bool:
    """Whether the erasure has died at the step before it has run to its end."""
    try:
        with at(Death(step), api.functions.store.dynamodb):
            run(api, erasure_id)
    except Killed:
        run(api, erasure_id)
        return True
    return False


def test_an_erasure_of_documents_killed_at_any_step_ends_equal(api: Api) -> None:
    step, is_killed = 0, True
    while is_killed:
        step += 7
        keep_documents(api, f"{TEAM}{step}", NAME)
        keep_documents(api, f"{TEAM}{step}", "plain")
        about = start(api, subject=NAME)
        is_killed = killed_and_run_again(api, about, step)
        named = start(api, ids=kept_in(state(api, about)))
        is_killed |= killed_and_run_again(api, named, step)

        assert places_with(NAME, api, bucket_of(api)) == []
        for erasure_id, known in ((about, "erase"), (named, "erase")):
            signed, entries = certificate(api, erasure_id)
            assert counts(signed["removed"])["document", known] == len(entries) == 2
            assert sorted(each["audit_count"] for each in entries) == [3, 14]
            assert signed["unreadable"] == 0
    assert step > 100


@pytest.mark.parametrize("is_head_gone", [False, True])
def test_a_put_amid_the_erasure_is_erased_or_begins_a_new_document(
    api: Api, *, is_head_gone: bool
) -> None:
    step, fresh = 0, f"fresh {LARGE}"
    while True:
        step += 5
        path = f"{NAME}/{step}"
        put(api, path, LARGE)
        if is_head_gone:
            remove_head(api, Place("", (NAME,), str(step)))
        erasure_id = start(api, subject=NAME)
        moment = Moment(step, partial(put, api, path, fresh))
        with at(moment, api.functions.store.dynamodb):
            run(api, erasure_id)
        if not moment.has_come:
            break
        left = api.get(f"/v1/documents/{path}?history=9&verify=true")
        if left.status == 200:
            assert (left.body["document"]["value"], left.body["document"]["version"]) == (fresh, 1)
            assert left.body["document"]["verified"] is True
        erase(api, subject=NAME)
    assert step > 50
    assert places_with(NAME, api, bucket_of(api)) == []


def test_a_key_erases_no_document_that_it_may_not_write(api: Api) -> None:
    put(api, "a/b", NAME, scope=TEAM)
    put(api, f"a/{NAME}", 1, scope="other")
    kept = kept_in(erase(api, subject=NAME, dry_run=True))
    key = api.key_for(actor_id="tenant", scopes=("other",))

    asked = {"ids": kept, "dry_run": False}
    refused = api.post("/v1/erasures", asked, key=key)
    unknown = api.post("/v1/erasures", {"ids": [f"doc.{'0' * 64}"], "dry_run": False})
    own = api.post("/v1/erasures", {"subject": NAME}, key=key)

    assert (refused.status, unknown.status) == (404, 404)
    run(api, str(own.body["id"]))
    listed = api.get(f"/v1/erasures/{own.body['id']}", key=key).body
    assert [place_of(each) for each in listed["findings"]] == [("other", "a", NAME)]
