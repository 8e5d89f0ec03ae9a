"""The times of access tokens: from when and until when a token counts, and which times are none."""

import math
from typing import Any

import pytest

from membrane.domain.access.token_rules import CLOCK_SKEW_S, Unauthenticated, require_current
from membrane.domain.language.timestamps import epoch_seconds
from tests.fakes.clock import MORNING

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
