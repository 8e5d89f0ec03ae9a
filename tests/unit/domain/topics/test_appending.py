"""Appending revisions: nothing is overwritten, and the latest is what holds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument, TooLarge
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import (
    MAX_FIELDS,
    AppendedWrites,
    FieldWrite,
    append_writes,
    own_line,
)
from membrane.domain.topics.form import MAX_CURRENT_BYTES
from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import obstacle
from membrane.domain.topics.salience import TopicPolicy
from membrane.domain.topics.topic import Field, FieldType, Line, Revision, Topic
from membrane.domain.topics.versions import ChangeContext, first_version, unwritten_topic
from tests.builders.stored_topics import revision

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def context(attempt: str = "first", *, now: datetime = NOW) -> ChangeContext:
    """The circumstances of an attempt."""
    return ChangeContext(now, "ada", "0" * 32, attempt, TopicPolicy())


def topic(fields: Mapping[str, Field] | None = None, **changes: Any) -> Topic:
    """A topic that has these fields."""
    draft = unwritten_topic("t1", "", Sensitivity.LOW, title="Ada", context=context())
    return replace(first_version(draft, context()), fields=fields or {}, **changes)


def grown(before: Topic, after: AppendedWrites) -> Topic:
    """The next version of the topic."""
    return replace(before, fields=after.fields, version=before.version + 1)


WRITES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "A", "__proto__"]),
        st.integers(),
        st.none() | st.integers(min_value=0, max_value=5),
    ),
    max_size=12,
)


"""Name, value, and how many days ago it began to be so."""


def written(told: Sequence[tuple[str, int, int | None]]) -> list[FieldWrite]:
    """The writes of some of `WRITES`."""
    return [
        FieldWrite(
            name=name,
            value=value,
            valid_from=None if days is None else rfc3339(NOW - timedelta(days=days)),
        )
        for name, value, days in told
    ]


@given(st.lists(WRITES, max_size=4))
def test_every_write_is_kept_and_the_last_by_its_place_is_current(requests: list[Any]) -> None:
    standing, kept = topic(), dict[str, list[Revision]]()
    for number, told in enumerate(requests):
        after = append_writes(standing, written(told), context(f"token {number}"))
        for write, (_, made) in zip(written(told), after.revisions, strict=True):
            kept.setdefault(write.name, []).append(made)
        standing = grown(standing, after)

    for name, field in standing.fields.items():
        places = [each.place for each in kept[name]]
        assert len(set(places)) == len(places) == field.history_length
        assert field.current is max(kept[name], key=lambda each: each.place)
    assert standing.fields.keys() == kept.keys()
    ids = [each.id for several in kept.values() for each in several]
    assert len(set(ids)) == len(ids)


@given(WRITES)
def test_the_answer_is_the_same_however_the_writes_are_split(told: Any) -> None:
    together = append_writes(topic(), written(told), context()).fields
    standing = topic()
    for number, each in enumerate(told):
        after = append_writes(standing, written([each]), context(f"token {number}"))
        standing = grown(standing, after)

    apart = standing.fields
    assert {name: each.current and each.current.value for name, each in together.items()} == {
        name: each.current and each.current.value for name, each in apart.items()
    }


def test_a_line_of_the_topic_itself_takes_what_is_written() -> None:
    known = Revision(
        id="r",
        value=1,
        field_type=FieldType.INT,
        valid_from="2020-01-01T00:00:00Z",
        recorded_at="2020-01-01T00:00:00Z",
        order=0,
        provenance="api",
    )
    other = Line("t2", "0" * 16, count=5)
    came = Field(type=FieldType.INT, current=known, lines=(other,))

    first = append_writes(topic({"a": came}), [FieldWrite(name="a", value=2)], context("one"))
    standing = grown(topic({"a": came}), first)
    second = append_writes(standing, [FieldWrite(name="a", value=3)], context("two"))

    own = own_line(second.fields["a"], "t1")
    assert own is not None
    assert (own.count, second.fields["a"].lines) == (2, (own, other))
    assert second.fields["a"].history_length == 7


def told_of(field: Field) -> Any:
    """The current value of a field that has one."""
    assert field.current is not None
    return field.current.value


@pytest.mark.parametrize(
    "before",
    [
        [FieldWrite(name="a", value=None, field_type=FieldType.STRING)],
        [FieldWrite(name="a", value="x"), FieldWrite(name="a", value=None)],
    ],
    ids=["given", "known"],
)
def test_a_null_keeps_a_type_that_is_given_or_known(before: list[FieldWrite]) -> None:
    standing = grown(topic(), append_writes(topic(), before, context("one")))

    with pytest.raises(InvalidArgument, match="is not of the field's type, string"):
        append_writes(standing, [FieldWrite(name="a", value=7)], context("two"))


def test_a_value_of_an_earlier_time_decides_an_open_type() -> None:
    empty = grown(
        topic(), append_writes(topic(), [FieldWrite(name="a", value=None)], context("one"))
    )
    late = FieldWrite(name="a", value=7, valid_from="2020-01-01T00:00:00Z")

    after = append_writes(empty, [late], context("two"))

    assert after.fields["a"].type is FieldType.INT
    assert told_of(after.fields["a"]) is None


def test_what_is_said_of_current_values_takes_room_too() -> None:
    said = "x" * 100_000
    writes = [FieldWrite(name=f"{n}", value=n, why_changed=said) for n in range(42)]

    with pytest.raises(TooLarge):
        append_writes(topic(), writes, context())


def test_a_topic_that_has_more_than_its_room_may_have_less() -> None:
    half = "x" * 100_000
    there = [FieldWrite(name=f"{n}", value=half) for n in range(30)]
    one = append_writes(topic(), there, context("one")).fields
    other = append_writes(topic(), there, context("two")).fields
    together = topic({**one, **{f"other {name}": each for name, each in other.items()}})

    after = append_writes(together, [FieldWrite(name="0", value="y")], context("three"))

    assert told_of(after.fields["0"]) == "y"
    with pytest.raises(TooLarge):
        append_writes(together, [FieldWrite(name="more", value="y")], context("three"))


def test_a_topic_has_so_many_fields_at_most() -> None:
    writes = [FieldWrite(name=str(number), value=1) for number in range(MAX_FIELDS + 1)]
    full = grown(topic(), append_writes(topic(), writes[:-1], context()))

    with pytest.raises(InvalidArgument, match="10000 fields at most"):
        append_writes(full, writes[-1:], context())

    assert append_writes(full, writes[:1], context()).fields["0"].history_length == 2


def with_values(topic_id: str, values: Mapping[str, Any]) -> Topic:
    """A topic with these values."""
    fields = {
        name: Field(type=FieldType.JSON, current=replace(revision(), value=value))
        for name, value in values.items()
    }
    return topic(fields, id=topic_id)


def hindrance(ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Of two topics with these fields."""
    duplicate = Duplicate(with_values("a", ours), with_values("b", theirs), Ground.TITLE, 1.0)
    return obstacle(duplicate, 1)


@pytest.mark.parametrize(("more", "is_merged"), [(0, True), (1, False)])
def test_two_have_as_many_fields_as_one_may_have(more: int, *, is_merged: bool) -> None:
    ours = dict.fromkeys(map(str, range(MAX_FIELDS)))
    theirs = dict.fromkeys(map(str, range(MAX_FIELDS // 2, MAX_FIELDS + more)))

    found = hindrance(ours, theirs)

    assert (found is None) is is_merged
    assert found in {None, f"a topic has {MAX_FIELDS} fields at most"}


def test_the_values_of_two_take_as_many_bytes_as_those_of_one_may() -> None:
    large = {str(number): "x" * 100_000 for number in range(MAX_CURRENT_BYTES // 200_000)}

    assert hindrance(large, {"more": 1}) is None
    assert hindrance(large, {**large, "more": "x" * 200_000}) == (
        f"the values of a topic take {MAX_CURRENT_BYTES} bytes at most"
    )
