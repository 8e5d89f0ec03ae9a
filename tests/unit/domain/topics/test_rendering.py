"""What of a topic is searched, and which topics may take an observation."""

from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.search.entries import Entry, mark, pack_dense, term
from membrane.domain.search.rendering import MAX_SEARCHED_CHARACTERS
from membrane.domain.search.searchable import NAME, NUMBER
from membrane.domain.topics.placing.observations import (
    searchable_topic,
    similarity,
    titles_contradict,
)
from membrane.domain.topics.salience import fading_lifecycle
from membrane.domain.topics.titles import is_kept_apart, says_nothing
from membrane.domain.topics.topic import Field, Revision, Topic, type_of
from tests.builders.records import NOW, NOW_TEXT

BORN_S = epoch_seconds(NOW)


def a_field(value: Any, *, written_at: str = NOW_TEXT, **others: Any) -> Field:
    """A field that has that value, since then."""
    kind = type_of(value)
    revision = Revision(
        id="revision-1",
        value=value,
        field_type=kind,
        valid_from=written_at,
        recorded_at=written_at,
        order=0,
        provenance="api",
    )
    return Field(type=kind, current=revision, **others)


def a_topic(**changes: Any) -> Topic:
    """A topic about a harbour."""
    usual: dict[str, Any] = {
        "id": "topic-1",
        "scope": "team",
        "sensitivity": Sensitivity.LOW,
        "title": "Port of Sines",
        "base": Anchor(1.0, BORN_S, BORN_S),
        "lifecycle": fading_lifecycle(3_600),
        "created_at": NOW_TEXT,
        "updated_at": NOW_TEXT,
        "version": 1,
    }
    return Topic(**usual | changes)


def test_a_topic_is_searched_by_what_it_is_and_what_its_fields_say() -> None:
    fields = {"cranes": a_field({"model": "Liebherr", "count": 3})}
    topic = a_topic(kind="harbour", summary="Deep water.", fields=fields)

    found = searchable_topic(topic)

    assert found.text == "Port of Sines\nharbour\nDeep water.\ncranes model Liebherr count 3"
    assert {term("liebherr"), mark(NAME, "port of sines"), mark(NAME, "harbour")} <= set(
        found.terms
    )
    assert NUMBER in found.terms


def test_a_nested_field_is_told_by_its_whole_name() -> None:
    topic = a_topic(fields={"office.address": a_field("Rua 5")})

    assert searchable_topic(topic).text == "Port of Sines\noffice.address Rua 5"


@pytest.mark.parametrize(
    "field",
    [
        a_field("hidden", deleted_at=NOW_TEXT),
        a_field("hidden", is_detached=True),
        a_field(None),
        Field(type=type_of(""), ref_topic_id="hidden"),
    ],
)
def test_what_is_deleted_detached_or_says_nothing_is_not_searched(field: Field) -> None:
    topic = a_topic(fields={"berth": field})

    assert searchable_topic(topic).text == "Port of Sines"


def test_of_a_value_in_the_bucket_the_name_is_searched() -> None:
    topic = a_topic(fields={"survey": a_field(LargeValue("topic@topic-1", "ab" * 32, 200_000))})

    assert searchable_topic(topic).text == "Port of Sines\nsurvey"


def test_untitled_says_nothing_of_what_a_topic_is_about() -> None:
    found = searchable_topic(a_topic(title="Untitled"))

    assert (found.text, found.terms) == ("", {})


def test_of_a_topic_with_more_than_is_searched_the_newest_is_found() -> None:
    later = rfc3339(NOW + timedelta(seconds=1))
    many = {f"field {number}": a_field("crane " * 600) for number in range(9)}

    found = searchable_topic(a_topic(fields={**many, "last": a_field("gull", written_at=later)}))

    assert len(found.text) == MAX_SEARCHED_CHARACTERS
    assert term("gull") in found.terms
    assert found.text.startswith("Port of Sines\nlast gull\nfield 0 crane")


def test_a_topic_happened_when_the_latest_of_its_values_became_true() -> None:
    earlier, later = (rfc3339(NOW + timedelta(hours=hours)) for hours in (-2, -1))
    fields = {"a": a_field(1, written_at=later), "b": a_field(2, written_at=earlier)}

    assert searchable_topic(a_topic(fields=fields)).happened_s == BORN_S - 3_600
    assert searchable_topic(a_topic()).happened_s == BORN_S


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("Ada", "Ada Lovelace"),
        ("The billing service", "Billing Services"),
        ("Apollo project", "project apollo"),
        ("Invoice 17", "invoice no. 17"),
        ("", "Ada"),
        ("untitled", "Ada"),
        ("It", "it"),
    ],
)
def test_titles_that_can_be_of_one_thing(one: str, other: str) -> None:
    assert not titles_contradict(one, other)
    assert not titles_contradict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Grace"),
        ("Alice Smith", "Bob Smith"),
        ("Invoice 17", "Invoice 18"),
        ("Invoice 17", "Invoice"),
        ("Q3 roadmap", "Q4 roadmap"),
        ("It", "Her"),
        ("It", "Ada"),
    ],
)
def test_titles_that_cannot(one: str, other: str) -> None:
    assert titles_contradict(one, other)
    assert titles_contradict(other, one)


@pytest.mark.parametrize(
    ("dense", "likeness"),
    [((1.0, 0.0), 1.0), ((0.0, 1.0), 0.0), ((-1.0, 0.0), -1.0), ((0.0, 0.0), 0.0)],
)
def test_similarity_is_the_cosine(dense: tuple[float, ...], likeness: float) -> None:
    packed = pack_dense((1.0, 0.0))
    entry = Entry("t", "", MemoryType.ENTITY, Sensitivity.LOW, b"", packed, 0.0)

    assert similarity(dense, entry) == pytest.approx(likeness)


@pytest.mark.parametrize(
    ("kind", "is_apart"),
    [
        ("document:1", True),
        ("Document:1", True),
        ("study:1", True),
        ("document", True),
        (" Document", True),
        ("documents", False),
        ("", False),
    ],
)
def test_the_kinds_of_studies_are_kept_apart(kind: str, *, is_apart: bool) -> None:
    assert is_kept_apart(kind) is is_apart


@pytest.mark.parametrize(
    ("name", "nothing"), [("p0001", True), ("p0001-2", True), ("names", True), ("price", False)]
)
def test_a_number_says_nothing(name: str, *, nothing: bool) -> None:
    assert says_nothing(name) is nothing
