"""A book of 638 KB on the local stack: studied, asked, told again, and interrupted."""

import json
import re
import time
from pathlib import Path
from typing import Any

from tests.e2e.stack import Stack, dev
from tests.worlds.depth import cases

SAMPLES = Path(__file__).parents[1] / "samples"
BOOK = (SAMPLES / "moby_dick.md").read_text("utf-8")
TITLE = "Moby-Dick; or, The Whale"
SECTIONS, PARAGRAPHS = 66, 1_227
FIRST_CHAPTERS, _, _ = BOOK.partition("## CHAPTER 7.")
FIRST_PARAGRAPHS = FIRST_CHAPTERS.count("\n\n") - FIRST_CHAPTERS.count("\n## ") - 1
QUESTIONS: list[dict[str, Any]] = json.loads(
    (SAMPLES / "moby_dick_questions.json").read_text("utf-8")
)["questions"]
LEAST_FOUND = 0.85
"""The share of questions whose section is among the first three sections of the answer."""

_PIECE = re.compile(r" \(part \d+\)$")
SCOPE = "library"


def study(stack: Stack, document: str = BOOK, **others: Any) -> dict[str, Any]:
    """The end of a study."""
    return finish(stack, begin(stack, document, **others))


def begin(stack: Stack, document: str = BOOK, **others: Any) -> str:
    """The id of a study that was begun."""
    body = {"document": document, "title": TITLE, "scope": SCOPE, **others}
    status, begun = stack.call("POST", "/v1/studies", body)
    assert status == 202, begun
    return str(begun["id"])


def finish(stack: Stack, job_id: str) -> dict[str, Any]:
    """The job at its end."""
    while True:
        status, job = stack.call("GET", f"/v1/studies/{job_id}")
        assert status == 200, job
        if job["state"] not in ("running", "cancelling"):
            return dict(job)
        time.sleep(0.2)


def first_sections(stack: Stack, question: str, most: int = 3) -> list[str]:
    """The first sections among the topics of the answer."""
    body = {"q": question, "stages": ["semantic"], "reinforce": False}
    status, answer = stack.call("POST", "/v1/query", body)
    assert status == 200, answer
    titles = (_PIECE.sub("", each["title"]) for each in answer["candidates"])
    return list(dict.fromkeys(titles))[:most]


def topics_of(stack: Stack) -> dict[str, str]:
    """The topics of the scope: by id, kind and title."""
    found: dict[str, str] = {}
    cursor = ""
    while True:
        status, page = stack.call("GET", f"/v1/topics?scope={SCOPE}{cursor}")
        assert status == 200, page
        found |= {each["id"]: f"{each['kind']} {each['title']}" for each in page["topics"]}
        if "next_cursor" not in page:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_a_book_is_studied_by_its_text_found_by_questions_and_told_again(stack: Stack) -> None:
    job = study(stack, with_model=False)

    assert job["state"] == "done"
    assert job["progress"]["sections"] == {"done": SECTIONS, "total": SECTIONS}
    assert job["progress"]["paragraphs"] == {"done": PARAGRAPHS, "total": PARAGRAPHS}
    assert job["made"]["fields"] == PARAGRAPHS
    wait_for_index(stack)
    found = [each["section"] in first_sections(stack, each["question"]) for each in QUESTIONS]
    assert len(found) == 60
    assert sum(found) / len(found) >= LEAST_FOUND, f"{sum(found)} of {len(found)}"
    before = topics_of(stack)
    again = study(stack, with_model=False)
    assert topics_of(stack) == before
    assert again["made"] == {
        **dict.fromkeys(again["made"], 0),
        "unchanged": PARAGRAPHS,
    }


def test_a_book_is_studied_by_the_scripted_model_whose_tokens_last_for_days() -> None:
    whole, beginning = (BOOK, PARAGRAPHS, 1_000_000), (FIRST_CHAPTERS, FIRST_PARAGRAPHS, 120_000)
    document, paragraphs, limit = cases(whole, beginning)
    parameters = ("ChatModel=scripted", f"ChatDailyTokens={limit}", f"ChatDailyTokensOfKey={limit}")
    options = (part for each in parameters for part in ("--parameter", each))
    with dev(*options) as stack:
        stack.call("POST", "/_dev/clock", {"set": "2027-03-01T01:00:00Z"})  # no midnight passes by
        job_id, days = begin(stack, document), 0
        while (job := finish(stack, job_id))["state"] == "waiting":
            wait_for_index(stack)  # also for the end of the step: only then the execution waits
            stack.call("POST", "/_dev/clock", {"advance_seconds": 86_400})
            days += 1
            while stack.call("GET", f"/v1/studies/{job_id}")[1]["updated_at"] == job["updated_at"]:
                time.sleep(0.05)

        assert (job["state"], job["with_model"]) == ("done", True)
        assert all(each["done"] == each["total"] > 0 for each in job["progress"].values())
        assert job["made"]["fields"] == paragraphs
        assert days > 0
        assert job["cost"]["tokens"] <= (days + 1) * limit
        assert not [each for each in topics_of(stack).values() if each.startswith("study:")]


def test_a_book_whose_stack_is_killed_is_studied_to_the_same_end(tmp_path: Path) -> None:
    beginning = FIRST_CHAPTERS, FIRST_PARAGRAPHS, (1, 4)
    document, paragraphs, kills = cases((BOOK, PARAGRAPHS, (5, 30, 60)), beginning)
    store = ("--store", str(tmp_path / "memory.db"), "--api-key", "k" * 43)
    with dev(*store) as stack:
        study(stack, document)
        expected = sorted(topics_of(stack).values())
    store = ("--store", str(tmp_path / "killed.db"), "--api-key", "k" * 43)

    with dev(*store) as stack:
        job_id = begin(stack, document)
    for done in kills:
        with dev(*store) as stack:
            stack.call("POST", f"/v1/studies/{job_id}/resume")
            while sections_done(stack, job_id) < done:
                time.sleep(0.05)
            stack.kill()

    with dev(*store) as stack:
        stack.call("POST", f"/v1/studies/{job_id}/resume")
        job = finish(stack, job_id)
        assert job["made"]["fields"] == paragraphs
        assert sorted(topics_of(stack).values()) == expected


def sections_done(stack: Stack, job_id: str) -> int:
    return int(stack.call("GET", f"/v1/studies/{job_id}")[1]["progress"]["sections"]["done"])


def wait_for_index(stack: Stack) -> None:
    """Return when every topic is indexed, and nothing runs."""
    for _ in range(12):
        status, _ = stack.call("GET", "/_dev/queues?wait")
        if status == 200:
            return
    raise AssertionError("the queues are never empty")
