"""The text by which a record of each type is found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.search.rendering import (
    MAX_SEARCHED_CHARACTERS,
    _words_in,
    flat_words,
    readable,
    searched_text,
    text_of,
)
from tests.builders.records import (
    a_given_record,
    a_record_given,
    a_record_of,
    a_tool_output,
    an_event,
    an_observation,
)
from tests.builders.whole_payloads import WHOLE
from tests.growth import calls

TEXTS = {
    "episodic": [
        "User asked to refactor auth module",
        "file_read path /src/auth.go lines 142",
        "os linux os_version 6.1 tool_versions go 1.22 working_directory /src context branch main",
        "success: the tests pass",
        "patch-1",
    ],
    "working": [
        "Refactoring",
        "run tests",
        "Which framework?",
        "type resource key max_file_edits value 5 required",
        "session-42 executing",
    ],
    "semantic": ["user prefers_language name Go", "team core"],
    "competence": [
        "fix_go_compilation_error",
        "compilation_error language go",
        "Read the error message file_read path string File contents loaded",
        "file_read",
        "File not found",
        "Ask",
    ],
    "plan_graph": [
        "setup_project setup-go-project",
        "mkdir path cmd/ empty",
        "go_mod_init",
        "language go",
        "name string path string",
    ],
    "entity": [
        "Project Orion",
        "Orion",
        "Projekt Orion",
        "Project Repository",
        "acme/orion",
        "A project",
    ],
}


@pytest.mark.parametrize("memory_type", list(WHOLE))
def test_a_record_is_rendered_line_by_line(memory_type: str) -> None:
    record = a_record_given(a_given_record(type=memory_type, payload=WHOLE[memory_type]))

    text = searched_text(record)

    assert text.split("\n") == TEXTS[memory_type]


READ = {
    "episodic": [
        "User asked to refactor auth module",
        'file_read {"path":"/src/auth.go"} {"lines":142}',
        compact_json(WHOLE["episodic"]["environment"]),
        "success: the tests pass",
        "patch-1",
    ],
    "working": [
        "Refactoring",
        "run tests",
        "Which framework?",
        '[{"type":"resource","key":"max_file_edits","value":5,"required":true}]',
        "session-42 executing",
    ],
    "semantic": ['user prefers_language {"name":"Go"}', '{"team":"core"}'],
}


@pytest.mark.parametrize("memory_type", list(READ))
def test_a_reader_gets_values_as_json(memory_type: str) -> None:
    record = a_record_given(a_given_record(type=memory_type, payload=WHOLE[memory_type]))

    assert readable(record, 2_000).split("\n") == READ[memory_type]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (False, "user likes false"),
        (0, "user likes 0"),
        (None, "user likes"),
        ({}, "user likes"),
        ("a\nb", "user likes a\nb"),
        (LargeValue("r", "0" * 64, 200_000), "user likes [200000 bytes]"),
    ],
    ids=["false", "zero", "null", "empty", "lines", "in the bucket"],
)
def test_a_reader_is_told_what_no_search_would_find(value: Any, words: str) -> None:
    record = a_record_of(an_observation(object="x"))
    payload = record.payload.model_copy(update={"object": value})

    assert readable(record.model_copy(update={"payload": payload}), 2_000) == words


@given(length=st.integers(1, 200), characters=st.integers(2, 100))
def test_a_text_that_is_too_long_to_read_ends_in_an_ellipsis(length: int, characters: int) -> None:
    text = readable(a_record_of(an_event(summary="x" * length)), characters)

    assert text == ("x" * length if length <= characters else "x" * (characters - 1) + "…")


def test_tags_belong_to_the_text() -> None:
    record = a_record_of(an_event(summary="It broke", tags=["deploy", "night"]))

    assert searched_text(record) == "It broke\ndeploy, night"


def test_an_event_without_a_summary_is_found_by_its_kind() -> None:
    record = a_record_of(an_event(event_kind="build_failed", ref="build-7"))

    assert searched_text(record) == "build_failed build-7"


def test_what_lies_in_the_bucket_is_left_out() -> None:
    record = a_record_of(a_tool_output(args={"path": "a.txt"}, result="long"))
    payload = record.payload
    assert isinstance(payload, EpisodicPayload)
    large = payload.tool_graph[0].model_copy(update={"result": LargeValue("rec-1", "0" * 64, 9)})

    text = searched_text(
        record.model_copy(update={"payload": payload.model_copy(update={"tool_graph": (large,)})})
    )

    assert text.endswith("file_read path a.txt")


def test_a_long_text_is_cut() -> None:
    record = a_record_of(an_event(summary="word " * 10_000))

    assert len(searched_text(record)) == MAX_SEARCHED_CHARACTERS


def test_a_long_value_hides_nothing_of_what_comes_after_it() -> None:
    record = a_record_of(a_tool_output(result="x " * 50_000, tags=["billing"]))

    assert searched_text(record).endswith("billing")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [1, {"b": "c"}], "d": None}, "a 1 b c d"),
        ("plain", "plain"),
        (2.5, "2.5"),
        ([True, False, None], ""),
        ([], ""),
    ],
)
def test_a_json_value_is_flattened_to_its_words(value: Any, words: str) -> None:
    assert flat_words(value) == words


@pytest.mark.parametrize("value", [["word"] * 100_000, [None] * 100_000, [[]] * 100_000])
def test_a_value_is_read_no_further_than_it_is_shown(value: list[Any]) -> None:
    steps = calls(_words_in, lambda: flat_words(value))

    assert steps < 100_000


def test_lines_are_made_no_further_than_they_are_shown() -> None:
    lines = iter(["a line"] * 100_000)

    assert len(text_of(lines)) == MAX_SEARCHED_CHARACTERS
    assert len([*lines]) > 90_000
