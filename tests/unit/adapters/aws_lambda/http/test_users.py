"""A request that names a user acts in the scope of that user alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.vocabulary import Permission
from tests.builders.blank_users import BLANKS
from tests.builders.requests import OWNER
from tests.worlds.depth import examples
from tests.worlds.users import BY_RPC, Tenancy, limited, tenant

ACME, GLOBEX = tenant("acme"), tenant("globex")
STRICT = tenant("acme", required=True)
WITH_USERS_WITHIN = {"BatchDocuments", "IngestBatch", "CallTool", "ListTools"}
"""Requests whose parts may name the user: items, arguments, or the calls of a listed tool."""
OF_ONE_USER = limited("tenant:acme:user:alice")
OF_ACMES_USERS = limited("tenant:acme:user:*", "shared")
KEYS = (ACME, GLOBEX, STRICT, OF_ONE_USER, OF_ACMES_USERS, OWNER)
USERS = ("alice", "bob", "al", "alice:x", "Alice", "globex:user:alice")
PLACES = ("tenant:acme:common", "tenant:acmes", "tenant:acme", "shared")

Asking = tuple[Principal, dict[str, str]]
OF_USERS: st.SearchStrategy[Asking] = st.tuples(
    st.sampled_from([ACME, GLOBEX, STRICT]), st.builds(dict, user=st.sampled_from(USERS))
)
WRITINGS = st.lists(
    OF_USERS | st.tuples(st.just(OWNER), st.builds(dict, scope=st.sampled_from(PLACES))),
    min_size=1,
    max_size=4,
)
ASKINGS: st.SearchStrategy[Asking] = OF_USERS | st.tuples(st.sampled_from([*KEYS]), st.just({}))


def shows(key: Principal, asked: dict[str, str], scope: str) -> bool:
    """Whether the request may see the scope: told anew from the rule, not from the code."""
    if "user" in asked:
        return scope == f"tenant:{key.actor_id}:user:{asked['user']}"
    return any(
        entry in ("*", scope) or (entry.endswith(":*") and scope.startswith(entry[:-1]))
        for entry in key.scopes
    )


@settings(max_examples=examples(150), deadline=None)
@given(writings=WRITINGS, asking=ASKINGS)
def test_a_request_sees_what_its_user_or_its_key_covers_and_nothing_else(
    writings: list[Asking], asking: Asking
) -> None:
    memory, (key, asked) = Tenancy(), asking
    records = [memory.told(writer, **where) for writer, where in writings]
    topics = [memory.topic(writer, **where) for writer, where in writings]
    if key.user_required and not asked:
        with pytest.raises(PermissionDenied, match="user is required"):
            memory.listed(key)
        return

    listed = memory.listed(key, **asked)

    seen = {each for each in (*records, *topics) if shows(key, asked, memory.scope_of(each))}
    for route in ("list", "salient", "task"):
        assert listed[route] == seen.intersection(records), route
    for route in ("topics", "graph", "query"):
        assert listed[route] == seen.intersection(topics), route
    for rpc in ("RetrieveByID", "ReadAudit", "ReadVersions"):
        assert {each for each in records if memory.reads(rpc, each, key, **asked)} == (
            seen.intersection(records)
        ), rpc
    assert {each for each in topics if memory.reads("ReadTopic", each, key, **asked)} == (
        seen.intersection(topics)
    )


@settings(max_examples=examples(50), deadline=None)
@given(
    writer=st.sampled_from(USERS),
    other=st.sampled_from(USERS),
    keys=st.tuples(*[st.sampled_from([ACME, GLOBEX, STRICT])] * 2),
    rpc=st.sampled_from(["Reinforce", "Pin", "DeleteRecord", "Reclassify"]),
)
def test_nobody_changes_what_belongs_to_another_user(
    writer: str, other: str, keys: tuple[Principal, Principal], rpc: str
) -> None:
    memory = Tenancy()
    record_id = memory.told(keys[0], user=writer)
    before = memory.records.places[record_id]
    asked = {"id": record_id, **({"tags": ["x"]} if rpc == "Reclassify" else {})}
    is_own = (writer, keys[0].actor_id) == (other, keys[1].actor_id)

    try:
        memory.ask(rpc, asked, keys[1], user=other)
    except NotFound:
        assert not is_own
        assert memory.records.places[record_id] == before
    else:
        assert is_own


def test_the_same_user_of_two_tenants_is_two_users() -> None:
    memory = Tenancy()

    ours, theirs = memory.told(ACME, user="alice"), memory.told(GLOBEX, user="alice")

    assert memory.listed(ACME, user="alice")["list"] == {ours}
    assert memory.listed(GLOBEX, user="alice")["list"] == {theirs}


def test_a_forgotten_user_reads_as_the_tenant_where_none_is_required() -> None:
    memory = Tenancy()
    made = {memory.told(ACME, user=user) for user in ("alice", "bob")}
    memory.told(GLOBEX, user="alice")

    assert memory.listed(ACME)["list"] == made


@pytest.mark.parametrize("rpc", sorted(BY_RPC))
def test_a_user_of_null_never_reads_as_the_tenant(rpc: str) -> None:
    with pytest.raises(InvalidArgument, match="user must not be null") as caught:
        Tenancy().ask(rpc, {"user": None}, ACME)

    assert [each.field for each in caught.value.violations] == ["user"]


def test_a_user_of_null_is_as_none_for_a_key_without_users() -> None:
    memory = Tenancy()

    assert memory.scope_of(memory.told(OWNER, user=None)) == ""


def test_a_forgotten_user_writes_nowhere_by_a_key_of_prefixes() -> None:
    memory = Tenancy()

    with pytest.raises(InvalidArgument, match="scope or user is required") as caught:
        memory.told(ACME)

    assert [each.field for each in caught.value.violations] == ["scope"]
    assert memory.records.places == {}


@pytest.mark.parametrize("rpc", sorted(BY_RPC.keys() - WITH_USERS_WITHIN))
@pytest.mark.parametrize("asked", [{}, {"user": None}], ids=["absent", "null"])
def test_every_request_of_a_key_with_required_users_must_name_one(
    rpc: str, asked: dict[str, Any]
) -> None:
    with pytest.raises(PermissionDenied, match="user is required by the key in every request"):
        Tenancy().ask(rpc, asked, STRICT)


@pytest.mark.parametrize("key", [OWNER, OF_ONE_USER, OF_ACMES_USERS], ids=lambda key: key.scopes[0])
def test_a_key_without_a_user_prefix_takes_no_user(key: Principal) -> None:
    with pytest.raises(PermissionDenied, match="user is not taken: the key has no user prefix"):
        Tenancy().told(key, user="alice")


@pytest.mark.parametrize(
    "user", [*BLANKS, "*", "team:*", "x*", "ü" * 120, 5, ["alice"], {}, True], ids=ascii
)
def test_what_is_no_name_of_a_user_is_refused(user: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^user ") as caught:
        Tenancy().told(ACME, user=user)

    assert [each.field for each in caught.value.violations] == ["user"]


def test_a_user_may_have_every_byte_that_the_prefix_leaves() -> None:
    memory = Tenancy()
    longest = "x" * (256 - len(ACME.user_prefix))

    assert memory.scope_of(memory.told(ACME, user=longest)) == ACME.user_prefix + longest
    with pytest.raises(InvalidArgument, match="exceeds 256 bytes"):
        memory.told(ACME, user=f"{longest}x")


def test_beside_a_user_only_the_scope_of_the_user_is_taken() -> None:
    memory = Tenancy()

    own = memory.told(ACME, user="alice", scope="tenant:acme:user:alice")

    assert memory.listed(ACME, user="alice")["list"] == {own}
    with pytest.raises(PermissionDenied, match="the key does not cover this scope"):
        memory.told(ACME, user="alice", scope="tenant:acme:common")


def test_nobody_is_admin_over_all_scopes_for_a_user() -> None:
    everything = principal_of("root", Permission, ["*"], "hyper", user_prefix="user:")

    assert everything.is_admin_of_all
    assert not everything.acting_for("alice").is_admin_of_all
    assert everything.acting_for("alice").trust.entries == ["user:alice"]


def test_users_share_no_idempotency_key_and_a_user_repeats_the_own_request() -> None:
    memory, keyed = Tenancy(), {"idempotency_key": "k"}

    alice = memory.told(ACME, user="alice", **keyed)
    bob = memory.told(ACME, user="bob", **keyed)

    assert alice != bob
    assert memory.told(ACME, user="alice", **keyed) == alice
    with pytest.raises(AlreadyExists):
        memory.told(ACME, user="alice", ref="another", **keyed)


def test_no_user_goes_on_with_the_pages_of_another() -> None:
    memory = Tenancy()
    for _ in range(2):
        memory.told(ACME, user="alice")
    page = memory.ask("ListRecords", {"limit": 1}, ACME, user="alice")

    onwards = {"limit": 1, "cursor": page["next_cursor"]}

    assert len(memory.ask("ListRecords", onwards, ACME, user="alice")["records"]) == 1
    for other in ({"user": "bob"}, {}):
        with pytest.raises(InvalidArgument, match="cursor"):
            memory.ask("ListRecords", onwards, ACME, **other)


EVENT = {"rpc": "IngestEvent", "source": "chat", "event_kind": "note", "ref": "n"}


def test_each_item_of_a_batch_may_name_its_user() -> None:
    memory = Tenancy()
    users = ("alice", "bob")
    items = [*({**EVENT, "user": user} for user in users), EVENT]

    reply = memory.ask("IngestBatch", {"items": items}, STRICT)

    assert [each["status"] for each in reply["results"]] == [201, 201, 403]
    assert [each["record"]["scope"] for each in reply["results"][:2]] == [
        f"tenant:acme:user:{user}" for user in users
    ]


def test_an_item_may_name_no_other_user_than_its_batch() -> None:
    memory = Tenancy()
    items = [EVENT, {**EVENT, "user": "alice"}, {**EVENT, "user": "bob"}]

    reply = memory.ask("IngestBatch", {"items": items}, ACME, user="alice")

    assert [each["status"] for each in reply["results"]] == [201, 201, 403]
    assert reply["results"][2]["error"]["detail"] == (
        "user must be the same in the request and in its items or arguments"
    )


def test_many_scopes_behind_a_prefix_must_be_named() -> None:
    memory = Tenancy()
    for number in range(51):
        memory.told(ACME, user=f"u{number}")

    with pytest.raises(InvalidArgument, match=r"name them .*, or name a user"):
        memory.ask("ListRecords", {}, ACME)
    assert len(memory.ask("ListRecords", {}, ACME, user="u7")["records"]) == 1


@pytest.mark.parametrize("rpc", ["GetMetrics", "PreviewDecay"])
def test_what_counts_exactly_asks_for_the_scopes_behind_a_prefix(rpc: str) -> None:
    memory = Tenancy()
    memory.told(ACME, user="alice")
    asked = {"half_life_seconds": {"episodic": 60}} if rpc == "PreviewDecay" else {}

    with pytest.raises(InvalidArgument, match=r"name those to .*, or a user"):
        memory.ask(rpc, asked, ACME)
    assert memory.ask(rpc, asked, ACME, user="alice")


@pytest.mark.parametrize(
    ("rpc", "asked"),
    [
        ("IngestEvent", {"source": "ci", "event_kind": "b", "ref": "1", "scope": "tenant:acme:*"}),
        ("Retrieve", {"trust": {"scopes": ["tenant:acme:*"]}}),
        ("ListRecords", {"scope": "tenant:acme:*"}),
        ("CreateTopic", {"title": "t", "scope": "tenant:acme:*"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_only_a_key_holds_prefixes_of_scopes(rpc: str, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="is a prefix, which only a key may hold"):
        Tenancy().ask(rpc, asked, OWNER)
