"""Salience of many records at once: numpy against a Python loop of the scalar functions."""

import random
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from time import process_time

from membrane.domain.language.vocabulary import DecayCurve
from membrane.domain.salience import arrays as salience_arrays
from membrane.domain.salience import function as salience
from membrane.domain.salience.arrays import Anchors
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from tests.bench.figures import TIMES, Figure
from tests.builders.stored_records import DAY_S, NOW_S, lifecycle

MANY = 100_000
ROUNDS = 9
LIMIT = 0.1
BASELINE = "a Python loop"
HALF_LIFE_S = 3_600

Both = tuple[Callable[[], object], Callable[[], object]]
"""The same in numpy and in a loop."""


def figures(count: int = MANY, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Of each computation the ratio to the loop, and both in milliseconds of CPU."""
    for name, (arrays, loop) in computations(count).items():
        pairs = [(_cpu_ms(arrays), _cpu_ms(loop)) for _ in range(rounds)]
        yield Figure(
            f"{count} {name}",
            median(ours / theirs for ours, theirs in pairs),
            TIMES,
            LIMIT,
            BASELINE,
        )
        yield Figure(f"{count} {name}, CPU of numpy", median(ours for ours, _ in pairs), "ms")
        yield Figure(f"{count} {name}, CPU of {BASELINE}", median(each for _, each in pairs), "ms")


def computations(count: int) -> Mapping[str, Both]:
    """Saliences as of now and prunable instants, of records a day old at most."""
    chance = random.Random(count)
    group = [
        Anchor(chance.uniform(0.01, 1.0), NOW_S - chance.uniform(0, DAY_S), NOW_S - DAY_S)
        for _ in range(count)
    ]
    anchors, fading = Anchors.of(group), _fading()
    return {
        "saliences": (
            lambda: salience_arrays.saliences_at(NOW_S, anchors, fading, {}),
            lambda: [salience.salience_at(NOW_S, each, fading, {}) for each in group],
        ),
        "prunable instants": (
            lambda: salience_arrays.prunable_at(anchors, fading, {}),
            lambda: [salience.prunable_at(each, fading, {}) for each in group],
        ),
    }


def _fading() -> Lifecycle:
    """With a floor and an age limit, so that nothing is left out."""
    return lifecycle(
        DecayProfile(
            curve=DecayCurve.EXPONENTIAL,
            half_life_seconds=HALF_LIFE_S,
            min_salience=1e-6,
            max_age_seconds=int(30 * DAY_S),
            reinforcement_gain=0.2,
        )
    )


def _cpu_ms(compute: Callable[[], object]) -> float:
    before = process_time()
    compute()
    return (process_time() - before) * 1_000
