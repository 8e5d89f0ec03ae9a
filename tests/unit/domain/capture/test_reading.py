"""What a capture says by itself, and together with names of known entities."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.capture.reading import Reading, read_capture, with_mentions
from membrane.domain.entities.known_names import KnownNames
from membrane.domain.entities.surfaces import MAX_MENTIONS
from membrane.domain.language.names import term_of
from tests.builders.captures import capture_request

NONE_KNOWN: KnownNames = {}


def reading(content: Any, **fields: Any) -> Reading:
    return read_capture(capture_request(content, **fields), content, fields.get("context"))


def surfaces(read: Reading, known: KnownNames = NONE_KNOWN) -> list[str]:
    return [each.surface for each in with_mentions(read, known).mentions]


def test_names_of_fields_come_before_names_of_the_text() -> None:
    read = reading({"text": "`deploy()` broke src/app.py", "project": "Orchid"})

    assert surfaces(read) == ["Orchid", "deploy", "src/app.py"]


def test_equal_names_count_once() -> None:
    read = reading({"text": 'the "Orchid" plan', "project": "orchid", "user": "ORCHID"})

    assert surfaces(read) == ["orchid"]


def test_of_overlapping_names_the_longest_counts() -> None:
    read = reading("Team Lumo met in lumo")

    assert surfaces(read, {"team": {"team lumo": "e1"}, "lumo": {"lumo": "e2"}}) == [
        "Team Lumo",
        "lumo",
    ]


def test_names_in_the_context_do_not_count() -> None:
    assert surfaces(reading("nothing", context={"text": "src/app.py"})) == []


def test_names_in_the_reason_do_not_count() -> None:
    assert surfaces(reading("nothing", reason_to_remember="src/app.py")) == []
    assert surfaces(reading({"n": 1}, reason_to_remember="src/app.py")) == []


def test_names_in_the_summary_count_where_the_content_has_no_text() -> None:
    assert surfaces(reading("nothing", summary="src/app.py")) == []
    assert surfaces(reading({"n": 1}, summary="src/app.py")) == ["src/app.py"]


def test_a_working_state_is_read_where_it_speaks() -> None:
    content = {"thread_id": "t", "state": "done", "next_actions": ["ask @ann", "fix OPS-1"]}

    assert surfaces(reading(content, source_kind="working_state")) == ["@ann", "OPS-1"]


def test_the_ends_of_a_fact_are_names_where_they_are_known_or_look_like_names() -> None:
    fact = {"subject": "oracle", "predicate": "reads", "object": "src/rates.py"}

    read = reading({"fact": fact}, proposed_type="semantic")

    assert surfaces(read) == ["oracle", "src/rates.py"]
    assert read.stated == ["oracle", "src/rates.py"]


def test_labels_are_trimmed_and_distinct() -> None:
    read = reading("x", tags=[" Deploy ", "deploy", " "])

    assert read.interpretation.topical_labels == ("Deploy",)


@given(st.lists(st.text(min_size=1, max_size=20), max_size=40))
def test_mentions_are_few_and_distinct(names: list[str]) -> None:
    mentions = with_mentions(reading({"entities": names}), NONE_KNOWN).mentions

    assert len(mentions) <= MAX_MENTIONS
    terms = [term_of(each.surface) for each in mentions]
    assert len(terms) == len(set(terms))
    assert all(terms)
