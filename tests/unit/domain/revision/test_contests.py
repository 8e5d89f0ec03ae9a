"""What contests a record is what has contested it since it was last sound."""

from datetime import datetime, timedelta

import pytest

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import contested_version, kept_version, last_contesting
from tests.builders.records import NOW, a_making
from tests.builders.revised_records import a_fact_in_store

WHY = Why("eval", "why")


def at(minutes: float) -> Making:
    return a_making(now=NOW + timedelta(minutes=minutes))


def after(*steps: str) -> StoredRecord:
    """A fact a minute after each step: the id of a record, a letter, or that it is kept."""
    stored = a_fact_in_store()
    for minutes, step in enumerate(steps):
        if step == "keep":
            stored = kept_version(stored, WHY, at(minutes))
        elif step == "letter":
            stored = contested_version(stored, None, WHY, at(minutes), evidence="letter")
        else:
            stored = contested_version(stored, step, WHY, at(minutes))
    return stored


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ("", None),
        ("x", "x"),
        ("x y", "y"),
        ("x y x", "x"),
        ("x letter", "x"),
        ("letter", None),
        ("x keep", None),
        ("x keep letter", None),
        ("x keep letter y", "y"),
        ("x keep y keep x", "x"),
        ("x y keep x", "x"),
    ],
)
def test_the_last_one_since_the_contest_began_counts(steps: str, last: str | None) -> None:
    assert last_contesting(after(*steps.split()).record) == last


def test_a_contest_is_never_before_its_beginning_whatever_a_servers_clock_says() -> None:
    stored = contested_version(a_fact_in_store(), None, WHY, at(1), evidence="letter")

    stored = contested_version(stored, "x", WHY, at(0))

    assert last_contesting(stored.record) == "x"


def test_a_fraction_of_a_second_is_later_than_none() -> None:
    start = datetime.fromisoformat("2026-01-02T03:04:05Z")
    stored = contested_version(a_fact_in_store(), "x", WHY, a_making(now=start))

    stored = contested_version(stored, "y", WHY, a_making(now=start + timedelta(milliseconds=500)))
    stored = contested_version(stored, "x", WHY, a_making(now=start + timedelta(milliseconds=700)))

    assert last_contesting(stored.record) == "x"
    assert [relation.target_id for relation in stored.record.relations] == ["x", "y"]
