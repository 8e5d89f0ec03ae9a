"""References of a capture to other records."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.references import (
    MAX_REFERENCE_CHARACTERS,
    MAX_REFERENCES,
    references_of,
)

RECORD_ID = "0190e6f2-7a4b-7c3d-8e5f-0123456789ab"


def refs(content: Any, context: Any = None) -> list[str]:
    return [each.ref for each in references_of(content, context)]


@pytest.mark.parametrize(
    "key",
    [
        *("ref", "refs", "reference", "references", "record_id", "record_ids", "id", "ids"),
        *("reply_to", "source_ref", "parent_ref", "related_records"),
    ],
)
@pytest.mark.parametrize("value", [" evt-1 ", ["evt-1", 7, "", "evt-1"]])
def test_a_key_holds_references(key: str, value: Any) -> None:
    (reference,) = references_of({key: value})

    assert (reference.ref, reference.confidence, reference.resolved) == ("evt-1", 0.5, False)


@pytest.mark.parametrize("key", ["preferences", "user_id", "href", "Ref", "thread_id"])
def test_other_keys_hold_none(key: str) -> None:
    assert refs({key: "evt-1"}) == []


@pytest.mark.parametrize(
    "value", [7, None, {"id": "evt-1"}, " ", "x" * (MAX_REFERENCE_CHARACTERS + 1)]
)
def test_only_texts_are_references(value: Any) -> None:
    assert refs({"ref": value}) == []


def test_content_comes_before_context_before_text_and_equal_references_count_once() -> None:
    content = {"text": "see t-1:4 and record evt, ref: t-1:5", "id": "b", "ref": "a"}

    assert refs(content, {"ref": "b", "refs": ["c"]}) == ["b", "a", "c", "t-1:4", "t-1:5"]


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        (f"As record {RECORD_ID} says", RECORD_ID),
        (f"record id: {RECORD_ID}.", RECORD_ID),
        (f"(see `{RECORD_ID}`)", RECORD_ID),
        ("See thread-9:12, please", "thread-9:12"),
        ("ref=standup.monday:3", "standup.monday:3"),
    ],
)
def test_a_word_before_makes_a_reference_in_a_text(text: str, ref: str) -> None:
    assert refs(text) == [ref]


@pytest.mark.parametrize(
    "text",
    [
        RECORD_ID,
        "thread-9:12",
        "see 10:30",
        "see localhost:8080",
        "see login.py:42",
        "oversee a:1",
        "see a:1:2",
    ],
)
def test_other_texts_refer_to_nothing(text: str) -> None:
    assert refs(text) == []


@given(st.lists(st.text()), st.lists(st.text()))
def test_references_are_few_distinct_and_in_order(first: list[str], second: list[str]) -> None:
    found = refs({"refs": first, "ids": second})

    expected = dict.fromkeys(each.strip() for each in (*first, *second) if each.strip())
    assert found == [*expected][:MAX_REFERENCES]
