"""References in fields and in text, without a model."""

from typing import Any

import pytest

from membrane.domain.capture.references import (
    MAX_REFERENCES,
    MAX_REFS_IN_TEXT,
    references_in_fields,
    refs_in,
)
from tests.growth import steps


def refs(content: Any, context: Any = None) -> list[str]:
    return [each.ref for each in references_in_fields(content, context)]


def test_keys_that_refer_are_read_in_order_those_of_the_content_first() -> None:
    content = {"ref": " evt-1 ", "related_records": ["r1", "r2", "r1"], "note": "x"}
    context = {"reply_to_ref": "evt-0", "parent_record_id": "r3"}

    assert refs(content, context) == ["evt-1", "r1", "r2", "evt-0", "r3"]


@pytest.mark.parametrize("key", ["preferences", "prefer", "refresh", "record", "identity", "hrefs"])
def test_keys_that_only_look_alike_refer_to_nothing(key: str) -> None:
    assert refs({key: "evt-1"}) == []


def test_other_values_refer_to_nothing() -> None:
    assert refs({"ref": 7, "refs": [None, {"a": 1}, ""], "id": {"x": "y"}}) == []
    assert refs("evt-1", ["evt-2"]) == []


def test_the_number_of_references_is_bounded() -> None:
    assert len(refs({"refs": [f"r{number}" for number in range(100)]})) == MAX_REFERENCES


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("because of run-12.", ["run-12"]),
        ("(note-27) and thread-a9:2, again note-27", ["note-27", "thread-a9:2"]),
        ("fixed OPS-12 at 12:30 on 2026-03-11", []),
        ("src/a-1.py http://x.io:80 mail@x-1", []),
    ],
)
def test_words_that_may_be_refs(text: str, found: list[str]) -> None:
    assert refs_in(text) == found


def test_few_words_of_a_text_are_looked_up() -> None:
    assert len(refs_in(" ".join(f"note-{number}" for number in range(100)))) == MAX_REFS_IN_TEXT


@pytest.mark.parametrize("unit", ["a-", "a1-", "a:1 ", "x.", "note-1 "])
def test_ten_times_the_text_takes_about_ten_times_the_steps(unit: str) -> None:
    short, long = unit * 200, unit * 2_000

    assert steps(lambda: refs_in(long)) <= 12 * steps(lambda: refs_in(short)) + 500
