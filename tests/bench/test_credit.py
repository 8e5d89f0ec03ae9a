"""The simulation of credit, on seeds drawn anew: the helping facts lead, though outcomes lie."""

import random

from tests.bench.credit import (
    BEST_MEAN_RANK,
    FACTS,
    MEAN_RANK,
    Simulation,
)
from tests.worlds.depth import deep

SEED = random.SystemRandom().randrange(10**6)


@deep
def test_credit_puts_the_helping_facts_first() -> None:
    rank = Simulation(SEED).run().rank_by_usefulness()

    assert BEST_MEAN_RANK <= rank <= MEAN_RANK, f"seed {SEED}"


def test_without_credit_no_fact_stands_out() -> None:
    simulation = Simulation(SEED, credits=False, tasks=50).run()

    assert simulation.rank_by_usefulness() == (FACTS + 1) / 2
    assert all(simulation.world.stored(each).credit is None for each in simulation.helping)
