"""Contents of captures made of the fields that are read, with hostile values: for hypothesis."""

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
