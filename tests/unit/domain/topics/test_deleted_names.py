"""Deleted fields make way for living ones, and keep their histories."""

from dataclasses import replace

import pytest

from membrane.domain.topics.deleted_names import MARK, free_names, mark_deleted
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import Field, Line

THEN = "2026-01-01T00:00:00Z"
FIELD = Field(type=FieldType.STRING, lines=(Line("ada", "1" * 16, 3),))


def test_a_deleted_field_makes_way_under_a_name_that_nobody_can_give() -> None:
    gone = mark_deleted({"city": FIELD, "pet": FIELD}, ["city"], THEN)

    fields = free_names(gone, ["city"])

    assert "city" not in fields
    assert fields["pet"] == FIELD
    (kept,) = fields.keys() - {"pet"}
    assert fields[kept] == replace(FIELD, deleted_at=THEN)
    assert not kept.isprintable()
    assert kept.startswith(f"city{MARK}")


def test_several_make_way_one_after_the_other() -> None:
    fields: dict[str, Field] = {}

    for number in range(3):
        line = Line("ada", f"{number:016x}")
        fields = free_names(fields, ["city"]) | {"city": replace(FIELD, lines=(line,))}
        fields = mark_deleted(fields, ["city"], THEN)

    assert len(fields) == 3
    assert {name.partition(MARK)[0] for name in fields} == {"city"}


def test_what_has_no_history_has_nothing_to_keep() -> None:
    bare = replace(FIELD, lines=(), deleted_at=THEN)

    assert free_names({"city": bare}, ["city"]) == {}
    assert free_names({}, ["city"]) == {}


def test_a_living_field_does_not_make_way() -> None:
    with pytest.raises(ValueError, match="living"):
        free_names({"city": FIELD}, ["city"])
