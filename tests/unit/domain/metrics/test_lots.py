"""Records are drawn by lot: each as likely as any other, however many one row stands for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random

import pytest

from membrane.domain.metrics.sums import CHOSEN, Lots
from tests.fakes.chat_models import Drawn
from tests.worlds.depth import cases

SURELY = 5
"""Standard deviations that a count may be off. The seed is fixed, and 2,190 rows are compared."""


@dataclass
class Counted:
    """Draws of a seed, counted."""

    random: Random = field(default_factory=lambda: Random(7))
    draws: int = 0

    def __call__(self, count: int) -> int:
        self.draws += 1
        return self.random.randrange(count)


def drawn(rows: Sequence[int], draw: Counted) -> Counter[int]:
    """By position of the row how often it was drawn; a row is the number of records."""
    lots = Lots(draw)
    for position, weight in enumerate(rows):
        lots.offer(str(position), weight)
    assert len(lots.chosen) == min(CHOSEN, sum(rows))
    return Counter(map(int, lots.chosen))


def test_of_as_many_records_as_are_drawn_each_comes_once() -> None:
    found = drawn([1] * 300 + [CHOSEN - 300], Counted())

    assert found == {**dict.fromkeys(range(300), 1), 300: CHOSEN - 300}


@pytest.mark.parametrize("rows", [[10_000_000], [1_000] * 10_000, [9_000_000, *[10] * 100_000]])
def test_ten_million_records_take_few_draws(rows: list[int]) -> None:
    draw = Counted()

    drawn(rows, draw)

    # CHOSEN ln(10 million / CHOSEN) = 4,950 records are taken, with three draws each
    assert draw.draws == pytest.approx(3 * 4_950, rel=0.1)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([1] * 1_000, id="rows of one record"),
        pytest.param([300] * 50, id="rows of 300 records"),
        pytest.param([1_000] * 20, id="rows of more records than are drawn"),
        pytest.param([1] * 600 + [10] * 500 + [700] * 20, id="rows of any number of records"),
    ],
)
def test_each_record_is_as_likely_as_any_other(rows: list[int]) -> None:
    draw, times = Counted(), cases(400, 100)

    found = sum((drawn(rows, draw) for _ in range(times)), Counter[int]())

    for position, weight in enumerate(rows):
        share = weight / sum(rows)
        expected = times * CHOSEN * share
        assert abs(found[position] - expected) <= SURELY * sqrt(expected * (1 - share)), position


@pytest.mark.parametrize("number", [0, CHOSEN - 1])
def test_draws_that_never_change_end(number: int) -> None:
    lots = Lots(Drawn((number,)))

    lots.offer("a", 10_000_000)

    assert lots.chosen == ["a"] * CHOSEN
