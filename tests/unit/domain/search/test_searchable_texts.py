"""What of a record is searched and shown, and where it stands in time and thread."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.ingest import policy
from membrane.domain.ingest.messages import IngestMessages
from membrane.domain.ingest.policy import MemoryCandidate
from membrane.domain.ingest.turns import AcceptedMessage, build_turn
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records.evidence import REFERENCES_RECORD, TO_ENTITIES
from membrane.domain.records.interpretation import Interpretation, Mention
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.search.entries import (
    MAX_TERMS,
    mark,
    position_in,
    term,
    unpack_dense,
    unpack_terms,
    words_of,
)
from membrane.domain.search.rendering import (
    MAX_SEARCHED_CHARACTERS,
    _words_in,
    flat_words,
    readable,
    searched_text,
)
from membrane.domain.search.searchable import (
    ASKS,
    ENTITY,
    IN_TIME,
    MAX_MARKS,
    NAME,
    NUMBER,
    TIME,
    WHO,
    entry_of,
    searchable,
    with_interpretation,
)
from tests.builders.conversations import SESSION, a_turn
from tests.builders.records import (
    NOW,
    a_given_record,
    a_making,
    a_record_given,
    a_record_of,
    a_tool_output,
    a_working_state,
    an_event,
    an_interpretation,
    an_observation,
)
from tests.builders.whole_payloads import WHOLE
from tests.growth import calls, steps


def test_a_turn_is_marked_with_its_speaker_who_also_stands_in_what_is_embedded() -> None:
    found = searchable(a_turn("I adopted a cat", who="Mary Ann"))

    assert found.text == "Mary Ann: I adopted a cat"
    marks = (mark(WHO, "mary"), mark(WHO, "ann"), mark(WHO, "mary ann"))
    assert all(each in found.terms for each in marks)
    assert term("mari") not in found.terms


@pytest.mark.parametrize(
    ("said", "telling"),
    [
        ("We went there last Friday", TIME),
        ("I have two dogs", NUMBER),
        ("It cost 40 euros", NUMBER),
        ("Great! Did you like it?", ASKS),
    ],
)
def test_a_text_is_marked_with_what_questions_ask_for(said: str, telling: int) -> None:
    assert telling in searchable(a_turn(said)).terms
    assert telling not in searchable(a_turn("We went there")).terms


@pytest.mark.parametrize(
    ("memory_type", "name"),
    [
        ("episodic", "file"),
        ("working", "session 42"),
        ("semantic", "user"),
        ("competence", "fix go compilation error"),
        ("plan_graph", "setup project"),
        ("entity", "orion"),
    ],
)
def test_a_record_is_marked_with_what_it_is_about(memory_type: str, name: str) -> None:
    record = a_record_given(a_given_record(type=memory_type, payload=WHOLE[memory_type]))

    assert mark(NAME, name) in searchable(record).terms


def test_a_record_is_marked_with_the_entities_that_it_is_about_and_no_other_target() -> None:
    relations = tuple(
        Relation(predicate=predicate, target_id=f"to-{predicate}")
        for predicate in (*TO_ENTITIES, REFERENCES_RECORD)
    )
    record = a_turn("I adopted a cat").model_copy(update={"relations": relations})

    terms = searchable(record).terms

    assert all(mark(ENTITY, f"to-{predicate}") in terms for predicate in TO_ENTITIES)
    assert mark(ENTITY, f"to-{REFERENCES_RECORD}") not in terms


@pytest.mark.parametrize(
    ("ref", "thread", "position"),
    [
        ("D1:3", "ref D1:", 4),
        ("thread-1:turn-7", "ref thread-1:turn-", 8),
        ("17", "ref ", 18),
        ("D1:03", "ref D1:", 4),
        ("build finished", IN_TIME, 0),
        ("3f1c2d4e-5b6a-4c7d-8e9f-0a1b2c3d4e5f", IN_TIME, 0),
        ("3f1c2d4e-5b6a-4c7d-8e9f-0a1b2c3d4e57", IN_TIME, 0),
    ],
)
def test_what_numbers_its_turns_is_a_thread(ref: str, thread: str, position: int) -> None:
    found = searchable(a_record_of(an_event(ref=ref)))

    assert found.thread == thread
    assert position_in(found.order) == position


def test_working_states_stand_in_their_thread_and_facts_in_none() -> None:
    state = searchable(a_record_of(a_working_state(thread_id="session-7")))
    fact = searchable(a_record_of(an_observation()))

    assert state.thread == "working session-7"
    assert (fact.thread, fact.order) == ("", "")


@pytest.mark.parametrize("report", [an_event, a_tool_output, an_observation, a_working_state])
def test_what_is_told_happened_when_it_says(report: Any) -> None:
    dated = a_record_of(report(timestamp="2025-06-03T18:00:00Z"))
    undated = a_record_of(report())

    assert searchable(dated).happened_s == epoch_seconds(SESSION)
    assert searchable(undated).happened_s == epoch_seconds(NOW)


def test_an_entry_has_no_word_of_its_record() -> None:
    record = a_turn("I adopted a cat")
    found = searchable(record)

    entry = entry_of(record, found, [0.6, -0.8])

    assert (entry.record_id, entry.type, entry.sensitivity) == ("t1", "episodic", "low")
    assert unpack_terms(entry.terms) == found.terms
    assert unpack_dense(entry.dense) == pytest.approx((0.6, -0.8), abs=0.01)
    assert entry.order == found.order
    assert entry.thread
    assert "talk" not in entry.thread


def interpreted(interpretation: Interpretation) -> MemoryRecord:
    return a_turn("hello").model_copy(update={"interpretation": interpretation})


def an_entity(**fields: Any) -> MemoryRecord:
    payload = {"kind": "entity", "canonical_name": "Ada", **fields}
    return a_record_given(a_given_record(type="entity", payload=payload))


def test_an_entry_has_room_for_the_marks_of_whatever_is_named() -> None:
    aliases = [
        {"value": " ".join(f"w{alias}x{word}" for word in range(9_000))} for alias in range(58)
    ]

    found = searchable(an_entity(aliases=aliases))

    assert len(found.terms) <= MAX_TERMS + MAX_MARKS
    assert mark(NAME, "ada") in found.terms


def test_names_are_read_no_further_than_a_text() -> None:
    aliases = [{"value": "- " * 5_000} for _ in range(1_000)]

    read = calls(words_of, lambda: searchable(an_entity(aliases=aliases)))

    assert read < 10


@pytest.mark.parametrize(
    "made",
    [
        lambda length: a_record_of(an_event(summary="x may " * (length // 6))),
        lambda length: a_record_of(an_event(ref="0" * length + "x1")),
        lambda length: a_record_of(an_event(source="Ann Bo " * (length // 7), summary="hello")),
        lambda length: a_record_of(a_tool_output(result=[None] * length)),
        lambda length: a_record_of(a_tool_output(result={str(n): n for n in range(length)})),
        lambda length: an_entity(aliases=[{"value": "w " * length}] * 10),
        lambda length: interpreted(an_interpretation(summary="w " * length)),
        lambda length: interpreted(an_interpretation(*["w x"] * (length // 5))),
        lambda length: interpreted(an_interpretation(topical_labels=("w " * length,) * 10)),
    ],
    ids=[
        "summary",
        "ref",
        "source",
        "nulls",
        "numbers",
        "aliases",
        "interpretation",
        "mentions",
        "labels",
    ],
)
def test_the_work_for_a_record_stops_growing_with_it(made: Callable[[int], MemoryRecord]) -> None:
    large, largest = made(25_000), made(50_000)

    work = steps(lambda: searchable(large))

    assert steps(lambda: searchable(largest)) <= work * 1.1 + 100


# --- messages -----------------------------------------------------------------------------------


def a_message(content: str, *, turn: int = 1, thread: str = "talk", **fields: Any) -> MemoryRecord:
    """The record of what a user said, as turn so and so of a thread."""
    sent = {"role": "user", "content": content, "at": rfc3339(SESSION), **fields}
    request = validate(IngestMessages, {"thread_id": thread, "messages": [sent]})
    (message,) = request.messages
    candidate = MemoryCandidate(CandidateKind.MESSAGE, message, rfc3339(SESSION))
    given = policy.apply(candidate, None, PolicyDefaults(), rfc3339(SESSION))
    return build_turn(AcceptedMessage(message, candidate, given, a_making()), turn, request, "")


@given(
    thread=st.one_of(
        st.text(min_size=1, max_size=256),
        st.uuids().map(str),
        st.uuids().map(lambda each: each.hex),
        st.from_regex(r"[0-9:-]{1,40}", fullmatch=True),
    ),
    turn=st.integers(1, 999_999_997),
)
def test_a_message_stands_at_its_turn_of_a_thread_of_any_name(thread: str, turn: int) -> None:
    found = searchable(a_message("x", thread=thread, turn=turn))
    first = searchable(a_message("x", thread=thread, turn=1))
    other = searchable(a_message("x", thread=f"{thread}1", turn=turn))

    assert position_in(found.order) == turn + 1
    assert found.thread == first.thread != other.thread


@given(
    content=st.text(min_size=1, max_size=80).filter(str.strip),
    who=st.from_regex(r"[A-Z][a-z]{1,9}( [A-Z][a-z]{1,9})?", fullmatch=True),
)
def test_a_message_is_searched_as_a_turn_that_its_speaker_reported(content: str, who: str) -> None:
    said = searchable(a_message(content, name=who))
    reported = searchable(a_turn(f"{who}: {content}", who=who, ref="talk:1"))

    assert (said.text, said.terms, said.thread) == (reported.text, reported.terms, reported.thread)


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


SAID = "Orion needs Postgres"


def test_the_summary_and_the_names_follow_the_text() -> None:
    orion = Mention(surface="Orion", aliases=("Project O",))
    read = Interpretation(
        summary="A project depends on a database.",
        topical_labels=("infrastructure",),
        mentions=(orion,),
    )

    assert with_interpretation(SAID, read).split("\n") == [
        SAID,
        "A project depends on a database.",
        "infrastructure, Project O",
    ]


@pytest.mark.parametrize(
    "read",
    [
        an_interpretation("Orion", "postgres"),
        an_interpretation(summary="orion: needs Postgres!"),
        an_interpretation(topical_labels=("Postgres",)),
        Interpretation(),
    ],
    ids=["mentions", "summary", "labels", "empty"],
)
def test_words_that_the_text_has_are_not_repeated(read: Interpretation) -> None:
    assert with_interpretation(SAID, read) == SAID


def test_a_record_is_found_by_the_interpretation_too() -> None:
    turn = a_turn(SAID).model_copy(update={"interpretation": an_interpretation("Titan")})

    assert searchable(turn).text.endswith(f"{SAID}\nTitan")
