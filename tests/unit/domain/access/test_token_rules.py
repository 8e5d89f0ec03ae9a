"""Rights of access tokens: the first rule that fits, claims that widen no rule, bearer tokens."""

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, Source
from membrane.domain.access.token_rules import (
    CLOCK_SKEW_S,
    Unauthenticated,
    principal_by_rules,
    require_current,
)
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Permission, Sensitivity
from tests.builders.requests import CLAIMS, principal_of_claims
from tests.fakes.clock import MORNING

ANA = Principal(
    "oidc:ana",
    frozenset({Permission.READ}),
    ("user:ana",),
    Sensitivity.LOW,
    Source.TOKEN,
)
HOSTILE = [
    *(
        "",
        "*",
        ":",
        "a*",
        "a:b",
        "team:*",
        "a b",
        " a",
        "a\n",
        "a\x00",
        "é",
        "\u0430",
        "\uff41",
        "a\u202e",
    ),
    "x" * 256,
    *(None, 1, 1.5, True, ["ana"], {"sub": "ana"}, [], {}),
]
"""Values that may stand in no scope: with a meaning, with a twin that looks alike, or no text."""


def refusal(*rules: dict[str, Any], **claims: Any) -> str:
    with pytest.raises(Unauthenticated) as caught:
        principal_of_claims(*rules, **claims)
    return str(caught.value)


def test_a_rule_gives_rights_with_the_values_of_claims() -> None:
    assert principal_of_claims() == ANA


def test_the_first_rule_that_fits_applies_even_if_a_later_rule_gives_more() -> None:
    no_agent = {"when": {"groups": "admins"}, "permissions": ["admin"]}
    more = {"permissions": ["admin"], "scopes": ["*"]}

    assert principal_of_claims(no_agent, {}, more) == ANA


def test_a_rule_that_fits_and_cannot_be_filled_gives_way_to_no_other_rule() -> None:
    assert "the claim team" in refusal({"scopes": ["team:{team}"]}, {})


def test_without_a_rule_every_token_is_refused() -> None:
    with pytest.raises(Unauthenticated, match="no rule gives rights"):
        principal_by_rules((), CLAIMS)


def test_where_no_rule_fits_a_token_is_refused() -> None:
    assert "no rule gives rights" in refusal(groups=["staff"])


@pytest.mark.parametrize(
    ("when", "claims"),
    [
        ({"tenant": "a"}, {"tenant": "a"}),
        ({"tenant": "a"}, {"tenant": ["b", "a"]}),
        ({"verified": True}, {"verified": True}),
        ({"verified": False}, {"verified": False}),
        ({"scope": "memory"}, {"scope": "openid memory"}),
        ({"scp": "memory"}, {"scp": "openid memory"}),
        ({"scp": "memory"}, {"scp": ["openid", "memory"]}),
        ({"tenant": "a", "scope": "memory"}, {"tenant": "a", "scope": "memory"}),
        ({}, {}),
    ],
)
def test_a_rule_fits_claims_of_the_exact_values(
    when: dict[str, Any], claims: dict[str, Any]
) -> None:
    assert principal_of_claims({"when": when}, **claims) == ANA


@pytest.mark.parametrize(
    ("when", "claims"),
    [
        ({"tenant": "a"}, {}),
        ({"tenant": "a"}, {"tenant": None}),
        ({"tenant": "a"}, {"tenant": "A"}),
        ({"tenant": "a"}, {"tenant": "a b"}),
        ({"tenant": "a"}, {"tenant": "ab"}),
        ({"tenant": "a"}, {"tenant": "a "}),
        ({"tenant": "a"}, {"tenant": [["a"]]}),
        ({"tenant": "a"}, {"tenant": {"a": "a"}}),
        ({"verified": True}, {"verified": "true"}),
        ({"verified": True}, {"verified": 1}),
        ({"verified": False}, {"verified": 0}),
        ({"verified": "true"}, {"verified": True}),
        ({"scope": "memory"}, {"scope": "memory:write"}),
        ({"scope": "memory"}, {"scope": "openid\tmemory"}),
        ({"tenant": "a", "scope": "memory"}, {"tenant": "a", "scope": "openid"}),
    ],
)
def test_a_rule_does_not_fit_claims_of_other_values(
    when: dict[str, Any], claims: dict[str, Any]
) -> None:
    assert "no rule gives rights" in refusal({"when": when}, **claims)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    "rule",
    [
        {"actor": "{team}"},
        {"scopes": ["team:{team}"]},
        {"scopes": ["user:{sub}", "team:{team}:*"]},
        {"scopes": ["*"], "user_prefix": "team:{team}:"},
    ],
    ids=["actor", "scope", "prefix", "user prefix"],
)
def test_a_hostile_value_is_refused_wherever_it_stands(rule: dict[str, Any], value: Any) -> None:
    said = refusal(rule, team=value)

    assert said.startswith("the claim team of the caller must be a text")


def test_a_missing_claim_is_refused() -> None:
    assert refusal({"actor": "{client_id}"}).startswith("the claim client_id of the caller")


def test_a_value_with_braces_is_not_filled_again() -> None:
    found = principal_of_claims({"scopes": ["team:{team}"]}, team="{sub}")

    assert found.scopes == ("team:{sub}",)


def test_a_scope_that_becomes_too_long_is_refused() -> None:
    assert "too long" in refusal({"scopes": ["team:{team}"]}, team="x" * 255)


def test_a_user_prefix_that_leaves_no_room_for_a_user_is_refused() -> None:
    rule = {"scopes": ["*"], "user_prefix": "t:{team}:"}

    assert "user_prefix needs less than 256 bytes" in refusal(rule, team="x" * 255)


def test_a_token_may_act_for_users_below_a_prefix_of_claims() -> None:
    rule = {"scopes": ["org:{org}:*"], "user_prefix": "org:{org}:user:", "user_required": True}

    found = principal_of_claims(rule, org="acme")

    assert found.user_required
    assert found.acting_for("bo").scopes == ("org:acme:user:bo",)


def test_a_claim_may_be_named_by_an_address() -> None:
    rule = {"scopes": ["team:{https://acme.example/team}"]}

    found = principal_of_claims(rule, **{"https://acme.example/team": "blue"})

    assert found.scopes == ("team:blue",)


@pytest.mark.parametrize("name", ["reason", "interpretation", "feeding", "consolidation"])
def test_a_subject_named_as_an_actor_of_the_service_is_a_different_actor(name: str) -> None:
    assert principal_of_claims(sub=name).actor_id == f"oidc:{name}"


def test_a_token_owns_nothing_of_a_key_with_the_same_actor_and_rights() -> None:
    key = ANA._replace(source=Source.KEY)

    assert ANA.identity != key.identity


VALUES = st.text("ab-.{}", min_size=1, max_size=4)


@given(VALUES, VALUES, VALUES, VALUES)
def test_different_values_never_make_the_same_scope_or_prefix(
    team: str, name: str, other_team: str, other_name: str
) -> None:
    assume((team, name) != (other_team, other_name))
    rule = {"scopes": ["team:{team}-lead:{name}", "team:{team}:{name}:*"]}

    first = principal_of_claims(rule, team=team, name=name).trust
    second = principal_of_claims(rule, team=other_team, name=other_name).trust

    assert first.scopes is not None
    assert not any(second.covers(scope) for scope in first.scopes)
    assert not any(prefix.startswith(second.prefixes) for prefix in first.prefixes)


NOW_S = epoch_seconds(MORNING)
LATER_S = NOW_S + 3600


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": LATER_S},
        {"exp": NOW_S - CLOCK_SKEW_S + 0.5},
        {"exp": LATER_S, "nbf": NOW_S + CLOCK_SKEW_S},
        {"exp": LATER_S, "nbf": -1},
        {"exp": 10**400},
    ],
    ids=["an hour", "a clock ahead", "a clock behind", "long since", "hundreds of digits"],
)
def test_a_token_counts_between_its_times_give_or_take_the_clocks(claims: dict[str, Any]) -> None:
    require_current(claims, MORNING)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"exp": NOW_S - CLOCK_SKEW_S}, "has expired"),
        ({"exp": -(10**400)}, "has expired"),
        ({"exp": LATER_S, "nbf": NOW_S + CLOCK_SKEW_S + 0.5}, "is not valid yet"),
        ({"exp": LATER_S, "nbf": 10**400}, "is not valid yet"),
    ],
    ids=["expired", "hundreds of digits ago", "too early", "in hundreds of digits"],
)
def test_a_token_outside_its_times_is_refused(claims: dict[str, Any], said: str) -> None:
    with pytest.raises(Unauthenticated, match=said):
        require_current(claims, MORNING)


@pytest.mark.parametrize(
    "value", [None, "1893456000", True, [LATER_S], {}, math.inf, -math.inf, math.nan], ids=repr
)
@pytest.mark.parametrize("name", ["exp", "nbf"])
def test_a_time_that_is_no_number_of_seconds_is_refused(name: str, value: Any) -> None:
    with pytest.raises(Unauthenticated, match=f"the claim {name} of the access token must be"):
        require_current({"exp": LATER_S, name: value}, MORNING)


def test_a_token_needs_an_end() -> None:
    with pytest.raises(Unauthenticated, match="the claim exp of the access token must be"):
        require_current({}, MORNING)
