"""Hostile texts, and contents of captures made of hostile values: for hypothesis."""

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from membrane.domain.ingest.reports import IngestObservation, IngestToolOutput, IngestWorkingState
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.records.interpretation import TEXT_FIELDS

SHA256 = "5f" * 32

REFERENCES: tuple[Any, ...] = (
    {"$upload": "abc"},
    {"$upload": 5},
    {"$blob": {"sha256": "aa", "size": 1}},
    {
        "$blob": {
            "sha256": SHA256,
            "size": 200_000,
            "url": f"https://bucket.example/blobs/record-1/{SHA256}",
        }
    },
)
"""An upload and a borrowed value as replies show references, and a malformed one of each."""

READ_FIELDS = (
    *IngestWorkingState.model_fields,
    *IngestToolOutput.model_fields,
    *IngestObservation.model_fields,
    *TEXT_FIELDS,
    *("thread", "tool", "id", "ref", "refs", "reply_to", "project", "entities", "person"),
)
"""Keys of a content that the service reads, beside `fact`."""

WORDS = ("", " ", "@", "planning", "Orchid", "acme/mill", "#12", "x" * (MAX_TEXT_CHARACTERS + 1))

texts = st.sampled_from(WORDS) | st.text(max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
plain = st.recursive(
    scalars | st.sampled_from(REFERENCES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
constraints = st.lists(
    st.dictionaries(st.sampled_from(["type", "key", "value"]), plain), max_size=2
)
values = plain | constraints | st.sampled_from(['{"$upload":"abc"}', "[1]", "{", "[]"])
fields = st.dictionaries(st.sampled_from(READ_FIELDS), values, max_size=4)
facts = st.fixed_dictionaries(
    {"subject": texts | plain, "predicate": texts | plain, "object": values}
)
states = st.fixed_dictionaries(
    {"thread_id": st.just("t"), "state": st.just("planning"), "active_constraints": values}
)
objects = st.builds(
    lambda first, second, fact: {**first, **second, **({} if fact is None else {"fact": fact})},
    st.just({}) | facts | states,
    fields,
    st.none() | facts | fields | values,
)
contents = objects | plain


UNITS = (
    *("0", "a", "A", " ", "-", ".", "_", ":", "/", "?", "=", "\n", "\\", '"', "'"),
    *("aA", "a ", "0a", "0-", "a:", "a.", "A0 ", "a\n", "/blobs/"),
    *("[", "{", "[{}],", '{"a":', '"a",', "1,", "1e9,", '"\\u0300",'),
    *("x may ", "May ", "Jan Feb ", "1 May 2023 ", "2023-05-", "last ", "in ", "on monday "),
    *("é", "\u4e00", "\u4e00a", "\u0300", "\uff9e", "\u0f73", "\ufdfa", "\u0660"),
)
"""What is repeated; a test adds to these what a pattern itself names."""

ENDS = ("", "!x1")

TWO_RUNS = "\u0300\u0316"
"""Combining marks in the order that Unicode has them not: a run of each is sorted."""


def repeated(unit: str, end: str = "") -> Callable[[int], str]:
    """Texts of a length, made of the unit; the end comes on top of the length."""
    return lambda length: unit * max(1, length // len(unit)) + end


def in_two_runs(first: str, second: str) -> Callable[[int], str]:
    """Texts of a length: a run of the one character before a run of the other."""
    return lambda length: first * (length // 2) + second * (length // 2)


def hostile(
    units: tuple[str, ...] = UNITS, ends: tuple[str, ...] = ENDS
) -> Iterator[tuple[str, Callable[[int], str]]]:
    """By name, texts of any length."""
    for unit in units:
        for end in ends:
            yield f"{unit!r}*n+{end!r}", repeated(unit, end)
    yield "two runs of marks", in_two_runs(*TWO_RUNS)
