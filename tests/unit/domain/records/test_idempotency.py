"""How a repeated request is recognised, and the natural key of a record."""

from typing import Any
from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.evidence import inverse_of
from membrane.domain.records.payloads import Payload
from membrane.domain.records.standing import natural_key
from membrane.domain.records.stored import (
    Operation,
    fingerprint_of,
    is_keyed_id,
    keyed_id,
    operation,
    remember,
)
from tests.builders.records import a_fact, a_given_record, a_record_of, a_tool_output
from tests.builders.whole_payloads import WHOLE

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


EVENT = {"t": "2026-01-31T12:00:00Z", "event_kind": "error", "ref": "msg-1"}
KEYS: dict[str, dict[str, Any]] = {
    "episodic": {"timeline": [EVENT]},
    "semantic": {"subject": "user", "predicate": "likes"},
    "working": {"thread_id": "session-7"},
    "competence": {"skill_name": "mend"},
    "plan_graph": {"plan_id": "release"},
    "entity": {"canonical_name": "Orion"},
}
"""By type, the fields that its natural key is made of."""


def payload_of(sent: dict[str, Any]) -> Payload:
    return a_given_record(type=sent["kind"], payload=sent).payload


@pytest.mark.parametrize("memory_type", list(WHOLE))
def test_a_record_is_found_by_the_words_of_its_type(memory_type: str) -> None:
    named = WHOLE[memory_type] | KEYS[memory_type]
    again = payload_of(named)

    key = natural_key("team", payload_of(named))

    assert key == natural_key("team", again)
    assert key != natural_key("team", payload_of(WHOLE[memory_type]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (a_fact(object="tea"), a_fact(object="coffee", validity={"mode": "conditional"})),
        (
            WHOLE["working"],
            {"kind": "working", "thread_id": "session-42", "state": "done"},
        ),
        (WHOLE["plan_graph"], WHOLE["plan_graph"] | {"version": "2", "intent": "another"}),
        (WHOLE["competence"], WHOLE["competence"] | {"recipe": [], "version": "3"}),
        (WHOLE["entity"], WHOLE["entity"] | {"aliases": [], "primary_type": "Person"}),
        (
            {"kind": "episodic", "timeline": [EVENT]},
            {
                "kind": "episodic",
                "timeline": [EVENT, EVENT | {"ref": "msg-2"}],
                "outcome": "failure",
            },
        ),
    ],
    ids=["fact", "working state", "plan", "skill", "entity", "episode"],
)
def test_what_else_a_record_says_does_not_change_its_key(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    keys = {natural_key("team", payload_of(one)), natural_key("team", payload_of(other))}

    assert len(keys) == 1


def test_the_same_words_in_another_scope_are_another_key() -> None:
    fact = payload_of(a_fact())

    keys = {natural_key(scope, fact) for scope in ("", "team", "Team", "team ")}

    assert len(keys) == 4


def test_the_same_words_of_another_type_are_another_key() -> None:
    named: list[dict[str, Any]] = [
        {"kind": "episodic", "timeline": [EVENT | {"ref": "x"}]},
        {"kind": "working", "thread_id": "x", "state": "done"},
        {"kind": "competence", "skill_name": "x", "triggers": [], "recipe": []},
        {"kind": "plan_graph", "plan_id": "x", "version": "1", "nodes": [], "edges": []},
        {"kind": "entity", "canonical_name": "x"},
        a_fact(subject="x", predicate=""),
    ]

    keys = {natural_key("team", payload_of(sent)) for sent in named}

    assert len(keys) == len(named)


def test_subject_and_predicate_do_not_run_into_one_another() -> None:
    facts = [a_fact(subject="ab", predicate="c"), a_fact(subject="a", predicate="bc")]

    keys = {natural_key("team", payload_of(fact)) for fact in facts}

    assert len(keys) == 2


def test_a_tool_output_is_found_by_its_node() -> None:
    record = a_record_of(a_tool_output())
    event = payload_of({"kind": "episodic", "timeline": [EVENT | {"ref": "node-1"}]})

    key = natural_key("team", record.payload)

    assert key == natural_key("team", event)


def test_an_episode_without_events_has_no_key() -> None:
    empty = payload_of({"kind": "episodic", "timeline": []})

    key = natural_key("team", empty)

    assert key is None


def test_a_key_fits_the_table_however_long_the_words_are() -> None:
    fact = payload_of(a_fact(subject="x" * 100_000, predicate="y" * 100_000))

    key = natural_key("z" * 256, fact)

    assert key is not None
    assert len(key) == 32


@pytest.mark.parametrize(
    ("predicate", "inverse"),
    [
        ("mentions_entity", "mentioned_in"),
        ("derived_from", "derived_semantic"),
        ("subject_entity", "fact_subject_of"),
        ("owns", "inverse_of_owns"),
        ("inverse_of_owns", "owns"),
    ],
)
def test_known_predicates_have_a_word_of_their_own(predicate: str, inverse: str) -> None:
    assert inverse_of(predicate) == inverse


@given(st.text(min_size=1).filter(lambda text: text != "inverse_of_"))
def test_the_inverse_of_the_inverse_is_the_predicate(predicate: str) -> None:
    assert inverse_of(inverse_of(predicate)) == predicate
