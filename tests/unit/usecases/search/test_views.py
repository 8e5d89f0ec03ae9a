"""A retrieval shows records in brief, or tells them in one text for a system message."""

from typing import Any

import pytest

from membrane.adapters.aws_lambda.http.bodies import answer_reply
from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.search.prompts import tokens_in
from membrane.domain.search.requests import MAX_BRIEF_CHARACTERS, ListRecords, Retrieve
from tests.builders.records import complaints, refusal
from tests.builders.requests import event, working_state
from tests.worlds.retrieval import Memory, all_ids, ids, receipt_of, semantic, skill

READER = principal_of("reader", ["read"], ["shared"], "low")
TASKS = ["", "Who likes tea?"]


@pytest.fixture
def memory() -> Memory:
    """Facts of falling salience, and one that the reader sees redacted."""
    memory = Memory()
    for number in range(7):
        fact = {"subject": f"user {number}"}
        memory.add(semantic(f"r{number}", salience=(9 - number) / 10, scope="shared", payload=fact))
    memory.add(semantic("above", salience=0.85, scope="shared", sensitivity="medium"))
    return memory


@pytest.mark.parametrize("task", TASKS)
def test_a_brief_reply_has_the_same_records_in_the_same_order_and_pages(
    memory: Memory, task: str
) -> None:
    asked = {"task_descriptor": task, "limit": 3}

    whole, brief = memory.pages(READER, **asked), memory.pages(READER, **asked, view="brief")

    assert all_ids(brief) == all_ids(whole)
    assert [page.scores for page in brief] == [page.scores for page in whole]
    for page in brief:
        for record in page.records:
            assert record["score"] == (page.scores or {}).get(record["id"])
            assert (record["text"] is None) == (record["id"] == "above")
    assert any(record["score"] for page in brief for record in page.records) == bool(task)


def test_a_list_comes_in_brief_too(memory: Memory) -> None:
    brief, whole = memory.listed(READER, view="brief"), memory.listed(READER)

    assert ids(brief) == ids(whole)
    assert [each["salience"] for each in brief.records] == [
        each["salience"] for each in whole.records
    ]
    assert brief.records[0]["text"] == "user 0 likes tea"
    assert {each["score"] for each in brief.records} == {None}


def test_a_hundred_large_records_come_in_brief_on_one_page(memory: Memory) -> None:
    for number in range(100):
        said = {"context_summary": "\\" * 100_000, "thread_id": f"t{number}"}
        memory.add_unindexed(working_state(**said))

    answer = memory.retrieve(memory_types=["working"], limit=100, view="brief")

    assert {len(each["text"]) for each in answer.records} == {MAX_BRIEF_CHARACTERS}
    assert len(answer.records) == 100


@pytest.mark.parametrize("task", TASKS)
def test_a_prompt_tells_the_best_in_place_of_the_records(memory: Memory, task: str) -> None:
    asked = {"task_descriptor": task, "limit": 5}
    best = [each for each in all_ids([memory.retrieve(READER, **asked)]) if each != "above"]

    answer = memory.retrieve(READER, **asked, view="prompt")

    body = answer_reply(answer)
    assert "records" not in body
    assert body["prompt"]["ids"][: len(best)] == best
    assert len(body["prompt"]["ids"]) == 5
    assert body["prompt"]["tokens"] == tokens_in(body["prompt"]["text"])
    lines = body["prompt"]["text"].splitlines()[1:]
    told = {"r0": '- 2026-03-01, owner: "user 0 likes tea" [r0]'}
    assert told["r0"] in lines
    assert body.get("scores", {}).keys() == (set(body["prompt"]["ids"]) if task else set())


def test_the_pages_of_a_prompt_tell_every_record_that_is_seen_in_full(memory: Memory) -> None:
    for task in TASKS:
        pages = memory.pages(READER, task_descriptor=task, view="prompt", limit=2)

        told = [each for page in pages for each in answer_reply(page)["prompt"]["ids"]]
        assert sorted(told) == [f"r{number}" for number in range(7)]


def test_a_prompt_ends_within_its_tokens_and_the_receipt_counts_what_it_tells(
    memory: Memory,
) -> None:
    found = []
    for max_tokens in (20, 75, 100, 1_000):
        answer = memory.retrieve(READER, view="prompt", max_tokens=max_tokens)

        prompt = answer_reply(answer)["prompt"]
        assert prompt["tokens"] <= max_tokens
        assert receipt_of(answer, memory).returned == len(prompt["ids"])
        assert receipt_of(answer, memory).query["view"] == "prompt"
        found.append(len(prompt["ids"]))
    assert found == [0, 1, 2, 7]


def test_the_tokens_may_change_from_page_to_page_and_the_view_may_not(memory: Memory) -> None:
    first = memory.retrieve(limit=2, view="prompt")
    asked: dict[str, Any] = {"limit": 2, "cursor": first.next_cursor}

    further = memory.retrieve(**asked, view="prompt", max_tokens=2_000)

    assert len(answer_reply(further)["prompt"]["ids"]) == 2
    with pytest.raises(InvalidArgument, match="another request"):
        memory.retrieve(**asked, view="brief")


def test_a_prompt_still_selects_from_the_skills(memory: Memory) -> None:
    memory.add(skill("deploy"))

    selection = memory.retrieve(memory_types=["competence"], view="prompt").selection

    assert selection is not None
    assert selection.selected == ("deploy",)


def test_what_an_episode_told_is_dated_when_it_happened(memory: Memory) -> None:
    made = memory.add(event(summary="The build failed", timestamp="2026-02-03T04:05:06Z"))

    (brief,) = memory.retrieve(memory_types=["episodic"], view="brief").records
    prompt = answer_reply(memory.retrieve(memory_types=["episodic"], view="prompt"))["prompt"]

    assert (brief["when"], brief["who"]) == ("2026-02-03T04:05:06Z", "ci")
    assert prompt["text"].endswith(f'\n- 2026-02-03, ci: "The build failed" [{made.id}]')


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"view": "short"}, "view must be one of: full, brief, prompt"),
        ({"max_tokens": 0}, "max_tokens must be >= 1"),
        ({"max_tokens": 20_001}, "max_tokens must be <= 20000"),
    ],
    ids=["view", "too few", "too many"],
)
def test_a_refusal_names_the_field(asked: dict[str, Any], message: str) -> None:
    assert list(complaints(refusal(Retrieve, asked)).values()) == [message]


def test_a_list_is_no_prompt() -> None:
    error = refusal(ListRecords, {"view": "prompt"})

    assert complaints(error) == {"view": "view must be one of: full, brief"}
