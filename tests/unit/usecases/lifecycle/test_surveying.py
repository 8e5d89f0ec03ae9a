"""Going through the rank index: exactly to a limit, then one block of ten for all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, count
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.replies import DecayForecast
from membrane.domain.lifecycle.requests import Penalize, PreviewDecay
from membrane.usecases.lifecycle.preview_decay import preview_decay
from membrane.usecases.lifecycle.surveying import PATIENCE_S, SAMPLING, Sampling, Stretch, Survey
from membrane.usecases.ports.indexes import RankPartition, Ranks
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, change, event, written
from tests.fakes.chat_models import Drawn
from tests.worlds.memory_table import Over

EPISODES = RankPartition("", MemoryType.EPISODIC, "exponential:3600:0:0", 0)
LESS = "name fewer scopes"
SMALL = Sampling(exact=4, block=2, blocks=3)
"""After the first 4 records, strata of 6 entries, of which 2 are read."""


def ingest_many(services: World, number: int, *, hidden: Sequence[int] = ()) -> None:
    """Unscoped episodes; those of the hidden numbers are of high sensitivity."""
    for n in range(number):
        asked = event(ref=str(n), sensitivity="high" if n in hidden else "low")
        ingest(asked, call(asked, key=str(n)), services)


def surveyed(
    services: World, sampling: Sampling = SMALL, draws: Sequence[int] = (0,)
) -> list[Stretch]:
    """All stretches of the episodes, up to medium sensitivity."""
    drawing = services.but(draw=Drawn(draws))
    return list(Survey(drawing, Sensitivity.MEDIUM, sampling, LESS).stretches(EPISODES))


def sizes(stretches: Sequence[Stretch]) -> list[tuple[int, int, int, int]]:
    """Visible, read, weight and span of each."""
    return [(each.visible, len(each.read), each.weight, each.span) for each in stretches]


@pytest.mark.parametrize("number", [1, 3, 4])
def test_up_to_the_limit_everything_is_read(services: World, number: int) -> None:
    ingest_many(services, number)

    stretches = surveyed(services)

    assert sum(each.visible for each in stretches) == number
    assert all(len(each.read) == each.visible and each.span == 0 for each in stretches)


def test_behind_the_limit_one_block_of_a_stratum_is_read_and_the_others_are_counted(
    services: World,
) -> None:
    ingest_many(services, 4 + 6 + 6 + 3)

    stretches = surveyed(services, draws=(0, 2, 1))

    assert sizes(stretches) == [(4, 4, 1, 0), (6, 2, 3, 6), (6, 2, 3, 6), (3, 1, 3, 6)]


@pytest.mark.parametrize("number", [5, 6, 7, 9, 10, 11, 16, 17])
def test_how_many_there_are_is_exact_whatever_is_drawn(services: World, number: int) -> None:
    ingest_many(services, number)

    totals = {
        sum(stretch.visible for stretch in surveyed(services, draws=(drawn,))) for drawn in range(3)
    }

    assert totals == {number}


@pytest.mark.parametrize("behind", [1, 2, 3, 4, 5, 6])
def test_every_record_is_read_by_one_draw_of_all_that_there_are(
    services: World, behind: int
) -> None:
    ingest_many(services, 4 + behind)

    read = [
        record.anchor
        for drawn in range(3)
        for stretch in surveyed(services, draws=(drawn,))[1:]
        for record in stretch.read
    ]

    assert len(read) == behind


def test_each_stratum_draws_for_itself(services: World) -> None:
    ingest_many(services, 4 + 6 * 5)
    draw = Drawn((0, 1, 2))

    list(Survey(services.but(draw=draw), Sensitivity.LOW, SMALL, LESS).stretches(EPISODES))

    assert draw.drawn == 6  # the last finds the end


def test_the_limit_is_of_all_partitions_together(services: World) -> None:
    ingest_many(services, 4)
    survey = Survey(services, Sensitivity.MEDIUM, SMALL, LESS)
    for _ in survey.stretches(EPISODES):
        pass

    again = list(survey.stretches(EPISODES))

    assert sizes(again) == [(4, 2, 3, 6)]


def test_what_may_not_be_seen_is_neither_counted_nor_read(services: World) -> None:
    ingest_many(services, 16, hidden=range(0, 16, 2))

    stretches = surveyed(services, Sampling(exact=3, block=2, blocks=3))

    assert sum(each.visible for each in stretches) == 8
    assert all(len(each.read) <= each.visible for each in stretches)


@dataclass
class CountedRanks(Over):
    """Counts the entries that are read, not those that are only counted."""

    entries_read: int = 0

    def entries_in(self, *args: Any, **others: Any) -> Ranks:
        """See DynamoRanks."""
        found: Ranks = self.inner.entries_in(*args, **others)
        self.entries_read += found.entries
        return found


def test_a_sample_reads_a_tenth_of_what_is_behind_the_limit(services: World) -> None:
    ingest_many(services, 300)
    ranks = CountedRanks(services.ranks)

    surveyed(services.but(ranks=ranks), Sampling(exact=100, block=5, blocks=10))

    assert ranks.entries_read == 100 + 20


def test_by_default_a_hundred_thousand_are_read_and_then_every_tenth_block_of_500() -> None:
    assert (SAMPLING.exact, SAMPLING.block, SAMPLING.blocks) == (100_000, 500, 10)


def ticking(step_s: float) -> Callable[[], float]:
    """A clock that moves on by so much whenever it is looked at."""
    times = count(1_000.0, step_s)
    return lambda: next(times)


@pytest.mark.parametrize("sampling", [SMALL, SAMPLING])
def test_what_would_take_too_long_is_refused_and_not_told_in_part(
    services: World, sampling: Sampling
) -> None:
    ingest_many(services, 20)
    slow = services.but(elapsed_s=ticking(PATIENCE_S * 0.6))
    survey = Survey(slow, Sensitivity.MEDIUM, sampling, LESS)
    partitions = [EPISODES] * 3

    with pytest.raises(InvalidArgument, match="more than 20 seconds: name fewer scopes"):
        list(chain.from_iterable(map(survey.stretches, partitions)))


def test_what_ends_in_time_is_not_refused(services: World) -> None:
    ingest_many(services, 20)

    stretches = surveyed(services.but(elapsed_s=ticking(PATIENCE_S / 10)))

    assert sum(each.visible for each in stretches) == 20


def previewed(services: World, hours: Sequence[float], sampling: Sampling) -> DecayForecast:
    """What is foretold of the episodes at these hours."""
    instants = [rfc3339(services.now() + timedelta(hours=each)) for each in hours]
    asked = PreviewDecay.model_validate({"instants": instants, "trust": {"scopes": ["shared"]}})
    (forecast,) = preview_decay(asked, call(asked), services, sampling)["forecasts"]
    return DecayForecast(**forecast)


def test_beyond_the_limit_counts_are_estimated_and_say_how_well(services: World) -> None:
    ingest_many(services, 30)
    drawing = services.but(draw=Drawn((1, 5)))

    forecast = previewed(drawing, (10,), Sampling(exact=6, block=2, blocks=6))

    assert (forecast.candidates, forecast.today) == (30, (6 + 2 * 6 + 2 * 6,))
    assert forecast.error_bound == 24, "Hoeffding allows 28 and there are only so many"


def test_what_is_estimated_is_on_average_what_is_true(services: World) -> None:
    for number in range(12):
        asked = event(ref=str(number))
        record = written(ingest(asked, call(asked), services))
        change(Penalize(id=record.id, amount=1 - 2.0**-number), services)
    sampling = Sampling(exact=2, block=1, blocks=10)
    exactly = previewed(services, (2, 5, 8), SAMPLING).today

    estimates = [
        previewed(services.but(draw=Drawn((drawn,))), (2, 5, 8), sampling).today
        for drawn in range(10)
    ]

    assert [sum(each) / 10 for each in zip(*estimates, strict=True)] == [*exactly]
