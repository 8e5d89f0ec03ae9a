"""Lifecycles and anchors within the limits of the contract, for hypothesis."""

from typing import Any

from hypothesis import strategies as st

from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, Curves
from membrane.domain.salience.lifecycle import MAX_AGE_S, MAX_HALF_LIFE_S, Lifecycle
from tests.builders.records import a_lifecycle

MILLENNIUM_S = 1_000 * 366 * 86_400
CURVES: Curves = {
    "steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.1)),
    "out": ((0.0, 1.0), (0.5, 0.9), (3.0, 0.0)),
}

SALIENCES = st.one_of(
    st.just(0.0), st.floats(1e-100, 1e100), st.floats(1e-6, 2.0), st.sampled_from([1.0, 1e100])
)
THRESHOLDS = st.one_of(st.just(0.001), st.floats(1e-6, 2.0), st.floats(1e-100, 1e100))
INSTANTS = st.floats(1.5e9, 4e9).map(lambda seconds: round(seconds, 6))
AGES = st.one_of(
    st.floats(0, 1e6), st.floats(0, MILLENNIUM_S), st.sampled_from([0.0, 1.0, MILLENNIUM_S])
)
HALF_LIVES = st.one_of(
    st.integers(1, MAX_HALF_LIFE_S),
    st.sampled_from([1, 60, 3_600, 86_400, 2_592_000, MAX_HALF_LIFE_S]),
)
FLOORS = st.one_of(st.just(0.0), st.floats(1e-6, 1.0))
MAX_AGES = st.one_of(st.just(0), st.integers(1, MAX_AGE_S))
BUILT_IN: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"curve": "exponential"}, {"curve": "linear"}]
)
CUSTOM: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"curve": "custom", "custom_curve": name} for name in CURVES]
)
SHAPES = BUILT_IN | CUSTOM
BOOLEANS = st.booleans()
LEVELLING: st.SearchStrategy[dict[str, Any]] = st.just({"curve": "custom", "custom_curve": "steps"})
"""The curve that ends above 0."""


def lifecycles(
    *,
    shapes: st.SearchStrategy[dict[str, Any]] = SHAPES,
    floors: st.SearchStrategy[float] = FLOORS,
    max_ages: st.SearchStrategy[int] = MAX_AGES,
    pinned: st.SearchStrategy[bool] = BOOLEANS,
) -> st.SearchStrategy[Lifecycle]:
    """Lifecycles; each part comes from the strategy of its name."""
    return st.builds(
        lambda shape, **decay: a_lifecycle(**shape, **decay),
        shapes,
        half_life_seconds=HALF_LIVES,
        min_salience=floors,
        max_age_seconds=max_ages,
        pinned=pinned,
    )


def lasting(shapes: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Lifecycle]:
    """Lifecycles under which a record is seldom due: floored at the threshold, or pinned."""
    floors = st.just(PRUNE_THRESHOLD) | st.floats(PRUNE_THRESHOLD, 1.0)
    floored = lifecycles(
        shapes=shapes, floors=floors, max_ages=st.just(0), pinned=st.just(value=False)
    )
    return st.one_of(floored, floored, lifecycles(shapes=shapes, pinned=st.just(value=True)))


LIFECYCLES = lifecycles()
UNPINNED = lifecycles(pinned=st.just(value=False))
AGELESS = lifecycles(max_ages=st.just(0))
FADING = lifecycles(max_ages=st.just(0), pinned=st.just(value=False))
LEVEL_IN_THE_END = lifecycles(shapes=LEVELLING, max_ages=st.just(0), pinned=st.just(value=False))
PLAIN = st.builds(
    lambda half_life_s: a_lifecycle(half_life_seconds=half_life_s),
    HALF_LIVES,
)
"""Exponential, without floor or age limit."""

ANCHORS = st.builds(
    lambda salience, at_s, older_s: Anchor(salience, at_s, at_s - older_s),
    SALIENCES,
    INSTANTS,
    st.floats(0, 1e9),
)
DISTINCT = st.lists(ANCHORS, min_size=2, max_size=2, unique_by=lambda anchor: anchor.salience)
"""Two anchors of different saliences."""

ABOVE = st.builds(
    lambda threshold, times, anchor: (anchor._replace(salience=threshold * times), threshold),
    st.one_of(st.just(0.001), st.floats(1e-6, 2.0), st.floats(1e-90, 1.0)),
    st.one_of(st.floats(1.000001, 2.0), st.floats(1.000001, 1e90)),
    ANCHORS,
)
"""An anchor, and a threshold below its salience."""
