"""Facts are found and replaced by subject and predicate as people write them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.worlds.api import Api, api_with
from tests.worlds.recall import advance, retrieved, settle

SPELLINGS = ("lives_in", "lives in", " Lives_In", "\uff2c\uff29\uff36\uff25\uff33\u3000IN")
"""The last in full-width letters, with an ideographic blank."""
IDS = ("user_1", "a/b", "ns:x", "bob@x.org", "v2")


@pytest.fixture(scope="module")
def local_api() -> Iterator[Api]:
    """A stack in which the setting names one predicate, in a spelling of its own."""
    with api_with({"ConflictPolicies": json.dumps({"Lives_In": "replace"})} | NO_SCHEDULES) as api:
        yield api


def observe(api: Api, subject: str, predicate: str, value: str, **fields: Any) -> str:
    """The id of the fact, a second after the last."""
    advance(api, seconds=1)
    asked = {"source": "agent", "subject": subject, "predicate": predicate, "object": value}
    reply = api.post("/v1/ingest/observation", {**asked, **fields})
    assert reply.status in (200, 201), reply.body
    return str(reply.record["id"])


def believed(api: Api, **filters: Any) -> list[str]:
    """The objects of the facts that a retrieval finds."""
    settle(api)
    records = retrieved(api, **filters)["records"]
    return sorted(each["payload"]["object"] for each in records)


def test_every_spelling_of_a_predicate_is_one_fact_under_the_policy_of_any_spelling(
    api: Api,
) -> None:
    for town, predicate in zip(("Ulm", "Bonn", "Kiel", "Jena"), SPELLINGS, strict=True):
        observe(api, "Alice", predicate, town)

    assert [believed(api, subject="Alice", predicate=each) for each in SPELLINGS] == [["Jena"]] * 4


def test_a_fact_that_is_repeated_in_another_spelling_is_reinforced_as_first_written(
    api: Api,
) -> None:
    first = observe(api, "Alice ", "lives_in", "Ulm")

    again = observe(api, "ALICE", "lives in", "Ulm")

    assert again == first
    payload = api.get(f"/v1/records/{first}").record["payload"]
    assert (payload["subject"], payload["predicate"]) == ("Alice ", "lives_in")


def test_the_blanks_and_the_case_of_a_subject_make_no_second_subject(api: Api) -> None:
    for town, subject in zip(("Ulm", "Bonn", "Kiel"), ("Alice ", "ALICE", "@alice"), strict=True):
        observe(api, subject, "lives_in", town)

    assert believed(api, subject="alice", predicate="lives_in") == ["Kiel"]


@pytest.mark.parametrize("subject", IDS)
def test_a_subject_that_may_be_an_id_is_another_subject_in_another_spelling(
    api: Api, subject: str
) -> None:
    observe(api, subject, "lives_in", "Ulm")
    observe(api, subject.upper(), "lives_in", "Bonn")
    observe(api, f" {subject}", "lives_in", "Kiel")

    observe(api, subject, "Lives In", "Jena")

    assert believed(api, subject=subject, predicate="lives_in") == ["Bonn", "Jena", "Kiel"]


def test_a_look_up_by_either_name_finds_every_spelling(api: Api) -> None:
    observe(api, "Alice Miller", "works_at", "Acme")
    observe(api, "alice_miller", "Works At", "Bell")

    for subject in ("ALICE MILLER", "alice_miller", "@Alice  Miller"):
        assert believed(api, subject=subject) == ["Acme", "Bell"]
        assert believed(api, subject=subject, predicate="WORKS_AT") == ["Acme", "Bell"]
    assert believed(api, predicate="works at") == ["Acme", "Bell"]
    assert believed(api, subject="Alice Millers") == []


def test_the_past_of_a_fact_is_found_in_any_spelling(api: Api) -> None:
    first = observe(api, "Alice", "lives_in", "Ulm")
    then = api.get(f"/v1/records/{first}").record["created_at"]
    observe(api, "Alice", "lives in", "Bonn")

    assert believed(api, subject="alice", predicate="Lives_In", as_of=then) == ["Ulm"]


def test_a_text_of_marks_alone_is_a_name_as_written(api: Api) -> None:
    observe(api, "___", "@", "marks")
    observe(api, "__", "@", "fewer marks")

    assert believed(api, subject="___") == ["marks"]
    assert believed(api, predicate="@") == ["fewer marks", "marks"]
