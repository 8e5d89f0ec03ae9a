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
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import (
    MAX_FIELDS,
    AppendedWrites,
    FieldWrite,
    append_writes,
    own_line,
)
from membrane.domain.topics.deleted_names import MARK
from membrane.domain.topics.large_values import MAX_CURRENT_BYTES, current_bytes
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.topic import Field, Group, Line, Topic
from membrane.domain.topics.versions import ChangeContext, first_version, unwritten_topic

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
        for write, (_, revision) in zip(written(told), after.revisions, strict=True):
            kept.setdefault(write.name, []).append(revision)
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


def test_what_is_told_late_of_an_earlier_time_goes_behind() -> None:
    now = append_writes(topic(), [FieldWrite(name="a", value="new")], context("one"))
    late = FieldWrite(name="a", value="old", valid_from="2020-01-01T00:00:00Z")

    after = append_writes(grown(topic(), now), [late], context("two"))

    assert after.fields["a"].current == now.fields["a"].current
    assert after.fields["a"].history_length == 2


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "string"),
        ("x", "string"),
        (True, "bool"),
        (1, "int"),
        (1.5, "float"),
        ([], "list"),
        ({}, "json"),
    ],
)
def test_a_new_field_has_the_type_of_its_value(value: Any, kind: str) -> None:
    after = append_writes(topic(), [FieldWrite(name="a", value=value)], context())

    assert after.fields["a"].type == kind


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", 1),
        ("int", "1"),
        ("int", True),
        ("int", 1.5),
        ("float", "1"),
        ("bool", 1),
        ("date", "2026-02-30"),
        ("date", "2026-2-3"),
        ("datetime", "2026-02-03"),
        ("list", {}),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, value: Any) -> None:
    write = FieldWrite(name="a", value=value, field_type=FieldType(kind))

    with pytest.raises(InvalidArgument, match="is not of the field's type"):
        append_writes(topic(), [write], context())


def test_a_field_keeps_its_type_unless_another_is_given() -> None:
    made = append_writes(topic(), [FieldWrite(name="a", value=1)], context())
    standing = grown(topic(), made)

    with pytest.raises(InvalidArgument):
        append_writes(standing, [FieldWrite(name="a", value="x")], context())
    changed = FieldWrite(name="a", value="x", field_type=FieldType.STRING)

    assert append_writes(standing, [changed], context()).fields["a"].type is FieldType.STRING


def test_a_deleted_field_begins_anew_and_keeps_its_history() -> None:
    made = append_writes(topic(), [FieldWrite(name="a", value=1, ref="t9")], context("one"))
    gone = replace(made.fields["a"], deleted_at="2026-03-01T09:00:00Z", is_detached=True)

    after = append_writes(topic({"a": gone}), [FieldWrite(name="a", value="x")], context("two"))

    field = after.fields["a"]
    assert (field.type, field.ref_topic_id, field.deleted_at) == (FieldType.STRING, None, None)
    assert (field.history_length, field.is_detached) == (2, False)


def told_of(field: Field) -> Any:
    """The current value of a field that has one."""
    assert field.current is not None
    return field.current.value


def test_what_is_told_late_leaves_the_type_as_it_is() -> None:
    made = append_writes(topic(), [FieldWrite(name="a", value=1)], context("one"))
    late = FieldWrite(
        name="a", value="x", field_type=FieldType.STRING, valid_from="2020-01-01T00:00:00Z"
    )

    after = append_writes(grown(topic(), made), [late], context("two"))

    assert after.fields["a"].type is FieldType.INT
    assert [each.field_type for _, each in after.revisions] == [FieldType.STRING]


def test_what_was_deleted_does_not_come_back_by_what_is_told_of_an_earlier_time() -> None:
    made = append_writes(topic(), [FieldWrite(name="a", value=1)], context("one"))
    gone = replace(made.fields["a"], deleted_at="2026-03-01T09:00:00Z")
    late = FieldWrite(name="a", value="x", valid_from="2020-01-01T00:00:00Z")

    after = append_writes(
        grown(topic({"a": gone}), replace(made, fields={"a": gone})), [late], context()
    )

    field, [line] = after.fields["a"], after.fields["a"].lines
    assert (told_of(field), field.type, field.deleted_at) == ("x", FieldType.STRING, None)
    assert (line.count, line) == (1, after.revisions[0][0])
    assert after.fields[f"a{MARK}{gone.lines[0].id}"] == gone


@pytest.mark.parametrize("valid_from", [None, rfc3339(NOW)])
def test_a_clock_that_goes_back_hides_no_write(valid_from: str | None) -> None:
    made = append_writes(
        topic(), [FieldWrite(name="a", value=1, valid_from=valid_from)], context("one")
    )
    earlier = context("two", now=NOW - timedelta(seconds=1))

    after = append_writes(grown(topic(), made), [FieldWrite(name="a", value=2)], earlier)

    current = after.fields["a"].current
    assert current is not None
    assert (current.value, current.valid_from, current.recorded_at) == (
        2,
        rfc3339(NOW),
        rfc3339(NOW),
    )


def test_a_null_leaves_the_type_open_until_there_is_a_value() -> None:
    writes = [FieldWrite(name="a", value=None), FieldWrite(name="a", value=None)]
    empty = grown(topic(), append_writes(topic(), writes, context("one")))

    after = append_writes(empty, [FieldWrite(name="a", value=7)], context("two"))

    assert after.fields["a"].type is FieldType.INT
    with pytest.raises(InvalidArgument):
        append_writes(grown(empty, after), [FieldWrite(name="a", value="x")], context("three"))


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


def test_the_current_values_of_a_topic_have_so_much_room_at_most() -> None:
    almost = "x" * 100_000
    count = MAX_CURRENT_BYTES // len(almost)
    full = append_writes(
        topic(), [FieldWrite(name=f"{n}", value=almost) for n in range(count)], context()
    )
    standing = grown(topic(), full)
    more = FieldWrite(name="more", value=almost)

    with pytest.raises(TooLarge, match="are 4194304 bytes at most"):
        append_writes(standing, [more], context())

    smaller = append_writes(standing, [FieldWrite(name="0", value=""), more], context())
    large = append_writes(standing, [replace(more, value="x" * LARGE_VALUE_BYTES)], context())
    assert current_bytes(smaller.fields) <= MAX_CURRENT_BYTES
    assert current_bytes(large.fields) <= MAX_CURRENT_BYTES


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


def test_a_revision_knows_what_its_field_refers_to_from_then_on() -> None:
    writes = [
        FieldWrite(name="boss", value=1, ref="bob"),
        FieldWrite(name="boss", value=2),
        FieldWrite(name="boss", value=3, ref=None),
    ]

    made = append_writes(topic(), writes, context())

    assert [revision.ref_topic_id for _, revision in made.revisions] == ["bob", "bob", None]
    assert made.fields["boss"].ref_topic_id is None


def test_what_holds_from_a_time_to_come_is_refused() -> None:
    write = FieldWrite(name="a", value=1, valid_from="2026-03-01T09:00:00.000000001Z")

    with pytest.raises(InvalidArgument, match="must not be in the future"):
        append_writes(topic(), [write], context())


def test_the_name_of_a_group_is_refused() -> None:
    made = append_writes(topic(), [FieldWrite(name="a", value=1)], context())
    grouped = topic(groups={"g": Group(made.revisions[0][1])})

    with pytest.raises(InvalidArgument, match="nested field bundle"):
        append_writes(grouped, [FieldWrite(name="g", value={})], context())


def test_a_topic_has_so_many_fields_at_most() -> None:
    writes = [FieldWrite(name=str(number), value=1) for number in range(MAX_FIELDS + 1)]
    full = grown(topic(), append_writes(topic(), writes[:-1], context()))

    with pytest.raises(InvalidArgument, match="10000 fields at most"):
        append_writes(full, writes[-1:], context())

    assert append_writes(full, writes[:1], context()).fields["0"].history_length == 2


@pytest.mark.parametrize("value", ["x" * LARGE_VALUE_BYTES, ["x" * LARGE_VALUE_BYTES]])
def test_a_large_value_is_taken_out_and_its_type_is_still_known(value: Any) -> None:
    after = append_writes(topic(), [FieldWrite(name="a", value=value)], context())

    current = after.fields["a"].current
    assert current is not None
    assert isinstance(current.value, LargeValue)
    assert list(after.values) == [current.value]
    assert len(after.values[current.value]) == current.value.size
    assert after.fields["a"].type == ("string" if isinstance(value, str) else "list")
