"""A simulation of credit: 500 tasks, 40 facts of which 10 help, and outcomes of which some lie.

A task asks for some facts, and is likelier to succeed with a helping fact on the page. Nobody says
which fact helped: credit finds the helping facts by the outcomes alone.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.records.usefulness import CreditLedger
from membrane.domain.search.score import Weights
from tests.bench.figures import Figure
from tests.worlds.credit import CreditWorld
from tests.worlds.retrieval import ids

TASKS, FACTS, HELPING = 500, 40, 10
TASKS_A_DAY = 20
AGENTS = [principal_of(f"agent-{n}", ["ingest", "read"], ["*"], "hyper") for n in range(5)]

FACTS_A_TASK = 3
WITH_HELP, WITHOUT_HELP = 0.9, 0.2
"""The probability of success with a helping fact on the page, and without."""

LYING = 0.2
"""The fraction of outcomes that report the opposite."""

BEST_MEAN_RANK = (HELPING + 1) / 2
MEAN_RANK = 8.0
"""The highest mean rank of the helping facts that passes."""

CHOOSING, HELD_BACK = range(1, 6), range(101, 106)
"""Seeds on which the weight was chosen, and seeds that had no part in the choice."""

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Chosen was the largest that takes at most half a hundredth of the asked facts from the answers.
"""


PLACES = ["harbour", "meadow", "quarry", "tunnel"]
THINGS = "anchor bucket candle drawer engine funnel garden hammer island jacket".split()  # noqa: SIM905 - one line
FACT_WORDS = [f"{place} {thing}" for place in PLACES for thing in THINGS]
NAMES = {f"fact{number}name": words for number, words in enumerate(FACT_WORDS)}
"""The words of each fact by id. A task with the words of several facts suits others nearly as well.
"""

WORDED_TASKS = 40


@dataclass(slots=True)
class Simulation:
    """The facts and the tasks of a seed."""

    seed: int
    credits: bool = True
    """Whether the outcomes name the receipts of the retrievals."""
    tasks: int = TASKS
    world: CreditWorld = field(default_factory=CreditWorld)
    drawn: random.Random = field(init=False)
    helping: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.drawn = random.Random(self.seed)
        for record_id, words in NAMES.items():
            payload = {"subject": record_id, "predicate": "concerns", "object": words}
            self.world.fact(record_id, payload=payload)
        self.helping = frozenset(self.drawn.sample(sorted(NAMES), HELPING))

    def run(self) -> "Simulation":
        for number in range(self.tasks):
            if number and not number % TASKS_A_DAY:
                self.world.memory.clock.advance(days=1)
            self._do_task(AGENTS[number % len(AGENTS)])
        return self

    def _do_task(self, agent: Principal) -> None:
        asked = ", ".join(self.drawn.sample(sorted(NAMES), FACTS_A_TASK))
        answer = self.world.memory.retrieve(
            agent, task_descriptor=asked, memory_types=["semantic"], limit=FACTS_A_TASK
        )
        is_helped = not self.helping.isdisjoint(ids(answer))
        succeeds = self.drawn.random() < (WITH_HELP if is_helped else WITHOUT_HELP)
        if self.drawn.random() < LYING:
            succeeds = not succeeds
        rests_on = {"receipt_id": answer.receipt_id} if self.credits else {}
        self.world.ends("success" if succeeds else "failure", agent, **rests_on)

    def rank_by_usefulness(self) -> float:
        """The mean rank of the helping facts; facts of equal usefulness share their ranks."""
        usefulness = {
            each: (self.world.stored(each).credit or CreditLedger()).mean for each in NAMES
        }
        return mean(_rank(each, usefulness) for each in self.helping)

    def rank_in_answers(self, weight: float) -> float:
        """The mean rank of the helping facts in an answer to a task that suits every fact."""
        found = self._found("concerns", FACTS, weight)
        return mean(found.index(each) + 1 for each in self.helping)

    def asked_in_answers(self, weight: float) -> float:
        """The part of the facts whose words a task has that are in the answer of as many facts."""
        drawn = random.Random(self.seed)
        tasks = [drawn.sample(sorted(NAMES), FACTS_A_TASK) for _ in range(WORDED_TASKS)]
        found = [
            self._found(" ".join(NAMES[each] for each in task), FACTS_A_TASK, weight)
            for task in tasks
        ]
        hits = sum(len({*task} & {*each}) for task, each in zip(tasks, found, strict=True))
        return hits / FACTS_A_TASK / WORDED_TASKS

    def _found(self, task: str, limit: int, weight: float) -> list[str]:
        memory = self.world.memory
        memory.services = memory.services.but(weights=Weights(usefulness=weight))
        answer = memory.retrieve(task_descriptor=task, memory_types=["semantic"], limit=limit)
        return ids(answer)


def figures() -> Iterator[Figure]:
    """The mean rank on seeds drawn anew; the choice of the weight, and the held-back seeds."""
    seed = random.SystemRandom().randrange(10**6)
    with_credit = Simulation(seed).run().rank_by_usefulness()
    without = Simulation(seed, credits=False).run().rank_by_usefulness()
    yield Figure(f"credit: mean rank by usefulness, seed {seed}", with_credit, "", MEAN_RANK)
    yield Figure(f"credit: mean rank without credit, seed {seed}", without, "")
    for name, seeds in (("choosing", CHOOSING), ("held back", HELD_BACK)):
        simulations = [Simulation(each).run() for each in seeds]
        for weight in WEIGHTS:
            rank = mean(each.rank_in_answers(weight) for each in simulations)
            asked = mean(each.asked_in_answers(weight) for each in simulations)
            yield Figure(f"credit: weight {weight}, {name}: mean rank in answers", rank, "")
            yield Figure(f"credit: weight {weight}, {name}: asked facts in answers", asked, "")


def _rank(name: str, usefulness: Mapping[str, float]) -> float:
    above = sum(each > usefulness[name] for each in usefulness.values())
    equal = sum(each == usefulness[name] for each in usefulness.values())
    return above + (equal + 1) / 2
