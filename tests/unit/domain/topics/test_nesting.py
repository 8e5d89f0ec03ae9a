"""What a reader sees of fields that are grouped."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import FieldWrite, append_writes
from membrane.domain.topics.nesting import (
    Container,
    group_fields,
    group_of,
    inner_fields,
    require_writable,
    shown_fields,
)
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext, first_version, unwritten_topic

NOW = ChangeContext(datetime(2026, 1, 1, tzinfo=UTC), "owner", "salt", "token", TopicPolicy())


def topic(*names: str) -> Topic:
    """With these fields, each with a value."""
    made = first_version(unwritten_topic("ada", "", Sensitivity.LOW, title="Ada", context=NOW), NOW)
    writes = [FieldWrite(name=each, value=each) for each in names]
    return replace(made, fields=append_writes(made, writes, NOW).fields)


def grouped(made: Topic, key: str, *names: str) -> Topic:
    return group_fields(made, names, key, "ui", NOW).topic


def shape(made: Topic, *, detached: bool = False) -> dict[str, list[str] | None]:
    """By name what is shown: of containers the inner names."""
    return {
        name: list(each.fields) if isinstance(each, Container) else None
        for name, each in shown_fields(made, detached=detached).items()
    }


def test_what_is_shown_is_in_order() -> None:
    made = grouped(topic("z", "b", "a", "m"), "k", "z", "a")

    assert list(shape(made).items()) == [("b", None), ("k", ["a", "z"]), ("m", None)]


def test_detached_fields_are_shown_where_they_are_asked_for() -> None:
    made = grouped(topic("a", "b", "c"), "k", "a", "b")
    for name in ("k.a", "c"):
        made = replace(
            made, fields={**made.fields, name: replace(made.fields[name], is_detached=True)}
        )

    assert shape(made) == {"k": ["b"]}
    assert shape(made, detached=True) == {"c": None, "k": ["a", "b"]}


def test_a_group_of_detached_fields_alone_is_not_shown() -> None:
    made = grouped(topic("a"), "k", "a")
    made = replace(made, fields={"k.a": replace(made.fields["k.a"], is_detached=True)})

    assert shape(made) == {}


def test_a_group_whose_fields_are_all_deleted_is_shown_empty() -> None:
    made = grouped(topic("a"), "k", "a")
    made = replace(made, fields={"k.a": replace(made.fields["k.a"], deleted_at=NOW.timestamp)})

    assert shape(made) == {"k": []}


def test_a_field_of_the_name_of_a_group_takes_the_name_from_it() -> None:
    made = grouped(topic("a"), "k", "a")
    merged = replace(made, fields={**made.fields, **topic("k").fields})

    assert shape(merged) == {"k": None, "k.a": None}
    require_writable(merged, "k")


def test_a_dot_in_a_name_makes_no_group() -> None:
    made = grouped(topic("a", "k2.b", "x.y"), "k", "a")

    assert shape(made) == {"k": ["a"], "k2.b": None, "x.y": None}


def test_a_field_belongs_to_the_group_with_the_longest_name() -> None:
    one, other = grouped(topic("a"), "k", "a"), grouped(topic("b"), "k.l", "b")
    merged = replace(
        one, fields={**one.fields, **other.fields}, groups={**one.groups, **other.groups}
    )

    assert group_of(merged, "k.l.b") == "k.l"
    assert group_of(merged, "k.b") == "k"
    assert group_of(merged, "k") is None
    assert list(inner_fields(merged, "k")) == ["a"]
    assert shape(merged) == {"k": ["a"], "k.l": ["b"]}


def test_the_name_of_a_container_is_not_written_to() -> None:
    made = grouped(topic("a", "b"), "k", "a")

    require_writable(made, "k.a")
    require_writable(made, "k.new")
    with pytest.raises(InvalidArgument, match="nested field bundle"):
        require_writable(made, "k")


def test_thousands_of_grouped_fields_are_shown_at_once() -> None:
    names = [f"f{number}.{'x.' * 20}" for number in range(5_000)]
    made = grouped(topic(*names), "k", *names)

    assert len(shape(made)["k"] or ()) == 5_000
