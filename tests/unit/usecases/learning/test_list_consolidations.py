"""What was made of evidence is listed page by page, as far as the reader may see it."""

from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import OutcomeStatus, Sensitivity
from membrane.domain.learning.requests import ListConsolidations
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.revision.requests import Retract
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.learning.list_consolidations import list_consolidations
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.revision.contests import retract_record
from tests.builders.episodes import add_call, add_event, add_release
from tests.builders.requests import OWNER, call, full_record
from tests.worlds.retrieval import Memory

READER = principal_of("reader", ["read"], ["team"], "low")


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def listed(memory: Memory, principal: Principal = READER, **asked: Any) -> Body:
    request = ListConsolidations(**asked)
    return list_consolidations(request, call(request, principal), memory.services).body


def release_and_consolidate(memory: Memory, *threads: str, **options: Any) -> None:
    for thread in threads:
        add_release(thread, f"1.{len(thread)}", memory.services, **options)
    memory.clock.advance(hours=1)
    consolidate_all(memory.services)


def names(body: Body) -> list[tuple[str, str]]:
    return [(str(each["type"]), each["name"]) for each in body["consolidations"]]


def test_a_skill_is_shown_with_its_evidence_and_the_reasons(memory: Memory) -> None:
    release_and_consolidate(memory, "t-1", "t-2")
    release_and_consolidate(memory, "t-3", status=OutcomeStatus.FAILURE)

    newest, *rest = listed(memory)["consolidations"]

    skill = next(each for each in rest if each["type"] == "competence")
    assert (newest["type"], newest["name"], newest["outcome"]) == ("episodic", "t-3", "failure")
    assert newest["evidence_count"] == 4
    assert newest["evidence"][-1]["outcome"] == "failure"
    assert [each["outcome"] for each in skill["evidence"]] == ["success", "success", "failure"]
    assert skill["evidence"][-1]["id"] == newest["id"]
    assert skill["reasons"][0] == "Learned from 2 traces"
    assert skill["reasons"][1].startswith("1 more uses")
    assert skill["updated_at"] > skill["created_at"]
    assert skill["scope"] == "team"


def test_the_pages_together_are_the_whole_list(memory: Memory) -> None:
    release_and_consolidate(memory, "a", "bb", "ccc")
    release_and_consolidate(memory, "dddd")
    whole = listed(memory)

    body = listed(memory, limit=1)
    found = names(body)
    while "next_cursor" in body:
        body = listed(memory, limit=1, cursor=body["next_cursor"])
        found += names(body)

    assert len(found) == 6  # four traces, a skill and a plan
    assert found == names(whole)
    assert "next_cursor" not in whole


def test_what_the_reader_may_not_see_changes_nothing(memory: Memory) -> None:
    release_and_consolidate(memory, "t-1")
    before = listed(memory)
    for scope, sensitivity in (("other", Sensitivity.LOW), ("team", Sensitivity.MEDIUM)):
        fields = {"scope": scope, "sensitivity": sensitivity}
        add_event("t-2", "Water the plants", memory.services, **fields)
        add_call("t-2", "pump", {}, "ok", memory.services, **fields)
    memory.clock.advance(hours=1)
    consolidate_all(memory.services)

    assert listed(memory) == before
    assert len(listed(memory, OWNER, scope="team")["consolidations"]) == 2
    assert len(listed(memory, OWNER, scope="other")["consolidations"]) == 1
    assert listed(memory, scope="other")["consolidations"] == []


def test_removed_and_retracted_records_are_left_out(memory: Memory) -> None:
    release_and_consolidate(memory, "t-1", "t-22")
    made = listed(memory)["consolidations"]
    (skill,) = [each for each in made if each["type"] == "competence"]
    retract = Retract(id=skill["id"], rationale="wrong")
    retract_record(retract, call(retract), memory.services)
    (trace,) = [each for each in made if each["name"] == "t-1"]
    delete = DeleteRecord(id=trace["id"])  # the plan goes with its evidence
    delete_record(delete, call(delete), memory.services)

    assert names(listed(memory)) == [("episodic", "t-22")]


def test_a_deleted_trace_is_evidence_no_longer(memory: Memory) -> None:
    release_and_consolidate(memory, "t-1", "t-2", "t-3")
    (trace_id,) = [each["id"] for each in listed(memory)["consolidations"] if each["name"] == "t-1"]
    delete = DeleteRecord(id=trace_id)
    delete_record(delete, call(delete), memory.services)

    (skill,) = [each for each in listed(memory)["consolidations"] if each["type"] == "competence"]

    outcomes = {each["id"]: each["outcome"] for each in skill["evidence"]}
    assert trace_id not in outcomes
    assert [*outcomes.values()] == ["success", "success"]


def test_a_record_of_a_caller_that_claims_to_be_consolidated_is_not_listed(memory: Memory) -> None:
    memory.add(full_record(scope="team", provenance={"created_by": "consolidation"}))

    assert listed(memory)["consolidations"] == []


def test_a_cursor_of_another_request_is_refused(memory: Memory) -> None:
    release_and_consolidate(memory, "a", "bb")
    cursor = listed(memory, limit=1)["next_cursor"]

    with pytest.raises(InvalidArgument):
        listed(memory, limit=1, scope="team", cursor=cursor)
