"""Who may see and write what."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.vocabulary import Permission, Sensitivity

KEY_SCOPES = [("*",), ("a",), ("a", "b"), ("b", "*"), ()]
ASKED_SCOPES = [(), ("a",), ("b",), ("a", "b"), ("c",), ("",), ("*",), ("c", "*")]
RECORD_SCOPES = ["", "a", "b", "c"]
RECORDS = list(product(RECORD_SCOPES, Sensitivity))


def a_principal(
    scopes: Iterable[str] = ("*",),
    ceiling: Sensitivity = Sensitivity.HYPER,
    permissions: Iterable[Permission] = (),
) -> Principal:
    return Principal("alice", frozenset(permissions), tuple(scopes), ceiling)


def every_narrowing() -> Iterator[tuple[Trust, TrustInput]]:
    for scopes, ceiling, asked_scopes, asked_ceiling in product(
        KEY_SCOPES, Sensitivity, ASKED_SCOPES, [None, *Sensitivity]
    ):
        asked = TrustInput(max_sensitivity=asked_ceiling, scopes=asked_scopes)
        yield a_principal(scopes, ceiling).trust, asked


def seen(trust: Trust) -> set[tuple[str, Sensitivity]]:
    return {record for record in RECORDS if trust.allows(*record)}


def asked_for(asked: TrustInput) -> set[tuple[str, Sensitivity]]:
    ceiling = asked.max_sensitivity or Sensitivity.HYPER
    return {
        (scope, sensitivity)
        for scope, sensitivity in RECORDS
        if sensitivity.level <= ceiling.level
        and (not asked.scopes or not scope or {scope, "*"} & set(asked.scopes))
    }


def test_narrowing_shows_what_is_both_allowed_and_asked_for_and_never_more() -> None:
    narrowings = list(every_narrowing())

    wrong = [
        (trust, asked)
        for trust, asked in narrowings
        if seen(trust.narrow_to(asked)) != seen(trust) & asked_for(asked)
    ]

    assert wrong == []
    assert len(narrowings) == 5 * 5 * 8 * 6


def test_narrowing_twice_shows_no_more_than_either() -> None:
    trust = a_principal(("a", "b"), Sensitivity.HIGH).trust
    one = TrustInput(scopes=("a",), max_sensitivity=Sensitivity.MEDIUM)
    other = TrustInput(scopes=("b", "c"))

    narrowed = trust.narrow_to(one).narrow_to(other)

    assert seen(narrowed) == {("", level) for level in list(Sensitivity)[:3]}


def test_asking_for_nothing_shows_all_that_the_principal_may_see() -> None:
    trust = a_principal(("a",), Sensitivity.MEDIUM).trust

    narrowed = trust.narrow_to(TrustInput())

    assert narrowed == trust


def test_asking_for_all_scopes_shows_all_that_the_principal_has() -> None:
    trust = a_principal(("a", "b"), Sensitivity.LOW).trust

    narrowed = trust.narrow_to(TrustInput(scopes=("*",)))

    assert narrowed == trust


def test_asking_for_scopes_that_the_principal_has_not_shows_only_unscoped_records() -> None:
    trust = a_principal(("a", "b")).trust

    narrowed = trust.narrow_to(TrustInput(scopes=("c", "d")))

    assert {scope for scope, _ in seen(narrowed)} == {""}


def test_asking_for_more_than_the_ceiling_does_not_lift_it() -> None:
    trust = a_principal(ceiling=Sensitivity.LOW).trust

    narrowed = trust.narrow_to(TrustInput(max_sensitivity=Sensitivity.HYPER))

    assert narrowed.ceiling is Sensitivity.LOW


@pytest.mark.parametrize(
    ("scopes", "visible"),
    [
        (("*",), {"", "a", "b", "c"}),
        (("a", "*"), {"", "a", "b", "c"}),
        (("a",), {"", "a"}),
        (("a", "b"), {"", "a", "b"}),
        ((), {""}),
    ],
    ids=["all", "one and all", "one", "two", "none"],
)
def test_a_principal_sees_its_scopes_and_what_is_unscoped(
    scopes: tuple[str, ...], visible: set[str]
) -> None:
    trust = a_principal(scopes).trust

    scopes_seen = {scope for scope, _ in seen(trust)}

    assert scopes_seen == visible


@pytest.mark.parametrize("ceiling", list(Sensitivity))
def test_a_principal_sees_up_to_its_ceiling(ceiling: Sensitivity) -> None:
    trust = a_principal(ceiling=ceiling).trust

    levels = {sensitivity.level for _, sensitivity in seen(trust)}

    assert levels == set(range(ceiling.level + 1))


@pytest.mark.parametrize(
    ("scopes", "asked", "scope"),
    [
        (("*",), None, ""),
        (("*",), "a", "a"),
        (("a", "*"), None, ""),
        (("a", "b"), None, "a"),
        (("a", "b"), "b", "b"),
        (("a",), "c", "c"),
    ],
)
def test_a_record_goes_into_the_scope_asked_for_or_into_the_first_of_the_key(
    scopes: tuple[str, ...], asked: str | None, scope: str
) -> None:
    principal = a_principal(scopes)

    chosen = principal.scope_for_writing(asked)

    assert chosen == scope


@pytest.mark.parametrize(
    ("scopes", "ceiling", "scope", "sensitivity"),
    [
        (("*",), "hyper", "", "hyper"),
        (("*",), "low", "anything", "low"),
        (("a", "*"), "low", "", "public"),
        (("a", "b"), "medium", "b", "medium"),
    ],
)
def test_a_principal_writes_within_its_scopes_and_up_to_its_ceiling(
    scopes: tuple[str, ...], ceiling: str, scope: str, sensitivity: str
) -> None:
    principal = a_principal(scopes, Sensitivity(ceiling))

    principal.require_write(scope, Sensitivity(sensitivity))


@pytest.mark.parametrize(
    ("scopes", "ceiling", "scope", "sensitivity", "reason"),
    [
        (("a",), "hyper", "", "low", "writing an unscoped record needs a key for all scopes"),
        ((), "hyper", "", "low", "writing an unscoped record needs a key for all scopes"),
        (("a",), "hyper", "b", "low", "the key does not cover this scope"),
        ((), "hyper", "a", "low", "the key does not cover this scope"),
        (("*",), "low", "a", "medium", "the key's highest sensitivity is below the record's"),
        (("a",), "high", "a", "hyper", "the key's highest sensitivity is below the record's"),
    ],
)
def test_a_principal_writes_nowhere_else(
    scopes: tuple[str, ...], ceiling: str, scope: str, sensitivity: str, reason: str
) -> None:
    principal = a_principal(scopes, Sensitivity(ceiling))

    with pytest.raises(PermissionDenied) as caught:
        principal.require_write(scope, Sensitivity(sensitivity))

    assert str(caught.value) == reason


def test_whatever_a_principal_may_write_it_may_see() -> None:
    principals = [a_principal(*rights) for rights in product(KEY_SCOPES, Sensitivity)]

    blind = [
        (principal, record)
        for principal, record in product(principals, RECORDS)
        if may_write(principal, *record) and not principal.trust.allows(*record)
    ]

    assert blind == []


def may_write(principal: Principal, scope: str, sensitivity: Sensitivity) -> bool:
    try:
        principal.require_write(scope, sensitivity)
    except PermissionDenied:
        return False
    return True


@pytest.mark.parametrize("permission", list(Permission))
def test_a_permission_allows_itself_alone(permission: Permission) -> None:
    principal = a_principal(permissions=[permission])

    principal.require(permission)

    for other in set(Permission) - {permission}:
        with pytest.raises(PermissionDenied, match=f"the permission {other} is required"):
            principal.require(other)


@pytest.mark.parametrize(
    ("scopes", "covered", "beyond"),
    [
        (("t:a:*",), {"t:a:", "t:a:1", "t:a:b:c"}, {"t:a", "t:ab", "t:b:1", "x:t:a:1", "t:"}),
        (("t:*", "x"), {"t:a", "t::", "x"}, {"t", "x:1"}),
        (("t*",), {"t*"}, {"t", "ta", "t:a"}),
        ((":*",), {":a"}, {"a", "a:b"}),
    ],
    ids=["a prefix", "a prefix and a scope", "no prefix", "a prefix of nothing"],
)
def test_a_prefix_covers_what_begins_with_it_for_reading_and_writing(
    scopes: tuple[str, ...], covered: set[str], beyond: set[str]
) -> None:
    principal = a_principal(scopes)

    assert {each for each in covered | beyond if principal.trust.covers(each)} == covered
    assert {
        each for each in covered | beyond if may_write(principal, each, Sensitivity.LOW)
    } == covered
    named = principal.trust.narrow_to(TrustInput(scopes=tuple(covered | beyond)))
    assert named.entries == sorted(covered)


def test_without_a_scope_a_record_goes_into_the_first_scope_that_is_no_prefix() -> None:
    assert a_principal(("t:*", "b", "a")).scope_for_writing(None) == "b"


def test_a_principal_is_made_from_words() -> None:
    principal = principal_of("alice", ["read", "ingest"], ["b", "a", "b"], "medium")

    assert principal == Principal(
        "alice",
        frozenset({Permission.READ, Permission.INGEST}),
        ("b", "a"),
        Sensitivity.MEDIUM,
    )


@pytest.mark.parametrize(
    ("actor_id", "permissions", "scopes", "ceiling"),
    [
        ("", ["read"], ["a"], "low"),
        (5, ["read"], ["a"], "low"),
        (None, ["read"], ["a"], "low"),
        ("alice", [], ["a"], "low"),
        ("alice", ["fly"], ["a"], "low"),
        ("alice", "read", ["a"], "low"),
        ("alice", [5], ["a"], "low"),
        ("alice", None, ["a"], "low"),
        ("alice", ["read"], [], "low"),
        ("alice", ["read"], [""], "low"),
        ("alice", ["read"], ["a", ""], "low"),
        ("alice", ["read"], ["a", 5], "low"),
        ("alice", ["read"], [["a"]], "low"),
        ("alice", ["read"], "team", "low"),
        ("alice", ["read"], "*", "low"),
        ("alice", ["read"], {"a": True}, "low"),
        ("alice", ["read"], None, "low"),
        ("alice", ["read"], ["a"], "secret"),
        ("alice", ["read"], ["a"], ""),
        ("alice", ["read"], ["a"], None),
        ("alice", ["read"], ["a"], ["low"]),
    ],
    ids=str,
)
def test_words_that_make_no_principal_are_refused(
    actor_id: Any, permissions: Any, scopes: Any, ceiling: Any
) -> None:
    with pytest.raises(ValueError, match=r"is not a valid|needs"):
        principal_of(actor_id, permissions, scopes, ceiling)
