"""How a repeated request is recognised."""

from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.stored import (
    Operation,
    fingerprint_of,
    is_keyed_id,
    keyed_id,
    operation,
    remember,
)

WORDS = st.text(max_size=20)
CALLS = st.tuples(WORDS, WORDS, WORDS)
BODY = fingerprint_of({"source": "agent"})


def an_operation(number: int) -> Operation:
    return operation("alice", "Reinforce", f"key-{number}", BODY)


@given(CALLS)
def test_an_id_made_from_a_key_is_a_uuid_of_version_8(call: tuple[str, str, str]) -> None:
    made = keyed_id(*call)

    assert str(UUID(made)) == made
    assert UUID(made).version == 8
    assert UUID(made).variant == RFC_4122
    assert is_keyed_id(made)


def test_the_same_call_has_the_same_id_in_every_process() -> None:
    made = keyed_id("alice", "IngestEvent", "key-1")

    assert made == "7e5d5a1a-1065-8b00-8a10-e2a3643d0556"


@given(CALLS, CALLS)
def test_another_call_has_another_id(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    ids = {keyed_id(*one), keyed_id(*other)}

    assert len(ids) == len({one, other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c", "k"), ("a", "bc", "k")),
        (("p", "ab", "c"), ("p", "a", "bc")),
        (("", "p", "k"), ("p", "", "k")),
        (("p", "r", "k"), ("p", "k", "r")),
        (("p", "r", "k\x00"), ("p", "r", "k")),
    ],
)
def test_principal_rpc_and_key_do_not_run_into_one_another(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    ids = {keyed_id(*one), keyed_id(*other)}
    identities = {operation(*one, BODY).identity, operation(*other, BODY).identity}

    assert len(ids) == len(identities) == 2


@pytest.mark.parametrize(
    ("record_id", "keyed"),
    [
        ("550e8400-e29b-81d4-a716-446655440000", True),
        ("550E8400-E29B-81D4-A716-446655440000", True),
        ("550e8400e29b81d4a716446655440000", True),
        ("550e8400-e29b-41d4-a716-446655440000", False),
        ("550e8400-e29b-71d4-a716-446655440000", False),
        ("550e8400-e29b-81d4-0716-446655440000", False),
        ("my-record", False),
        ("", False),
        ("8", False),
    ],
)
def test_an_id_of_version_8_is_known_however_it_is_spelled(record_id: str, *, keyed: bool) -> None:
    known = is_keyed_id(record_id)

    assert known is keyed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}),
    ],
)
def test_a_fingerprint_does_not_depend_on_the_order_of_names(one: object, other: object) -> None:
    fingerprints = {fingerprint_of(one), fingerprint_of(other)}

    assert len(fingerprints) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": 1}, {"a": "1"}),
        ({"a": None}, {}),
        ({"a": ""}, {"a": None}),
        ({"a": 1}, {"a": True}),
    ],
)
def test_another_body_has_another_fingerprint(one: object, other: object) -> None:
    fingerprints = {fingerprint_of(one), fingerprint_of(other)}

    assert len(fingerprints) == 2


def test_an_operation_is_16_bytes() -> None:
    done = an_operation(1)

    assert (len(done.identity), len(done.fingerprint)) == (12, 4)


def test_a_key_that_is_used_twice_is_told_by_the_body() -> None:
    one = operation("alice", "Reinforce", "key-1", fingerprint_of({"rationale": "useful"}))
    other = operation("alice", "Reinforce", "key-1", fingerprint_of({"rationale": "wrong"}))

    assert one.identity == other.identity
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("done", [0, 1, 99, 100, 250])
def test_a_record_remembers_the_newest_100_operations(done: int) -> None:
    every = tuple(an_operation(number) for number in range(done))
    operations: tuple[Operation, ...] = ()

    for one in every:
        operations = remember(operations, one)

    assert operations == every[-100:]
