"""How often the selector takes a skill for the task, and how well the chosen skills do.

Two skills solve each task, beside eighteen for other tasks. Every skill has a true success rate, a
number of uses and a last use drawn anew; the selector sees the counts alone. Two simpler rules show
what the formula is worth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean

from membrane.adapters.sentence_encoder import SentenceEncoder
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.search.questions import question_of
from membrane.domain.search.selector import SelectorParts, applicability, success_bound
from tests.bench.figures import Figure
from tests.builders.records import NOW

Choice = Callable[[SelectorParts], float]
"""The score by which a skill is chosen."""

SEEDS = range(100, 106)
"""The formula was chosen on other seeds, 0 to 5."""

DRAWS = 600
"""The tasks of a seed."""

SKILLS = (
    ("deploy to staging", ["build image", "push image"], ["terraform plan", "helm upgrade"]),
    ("linter reports errors", ["ruff check", "ruff format"], ["run formatter", "fix imports"]),
    ("schema migration needed", ["write migration", "alembic upgrade"], ["dump schema", "run sql"]),
    ("pod killed out of memory", ["heap profile", "raise limit"], ["read cgroup events"]),
    ("API key leaked or expired", ["revoke key", "create key"], ["open vault", "issue token"]),
    ("test fails now and then", ["rerun test", "freeze clock"], ["seed random", "quarantine test"]),
    ("database query is slow", ["explain analyze", "add index"], ["rewrite join"]),
    ("release is broken in production", ["helm rollback"], ["git revert", "redeploy tag"]),
    ("documentation missing for a feature", ["write page"], ["draft outline", "ask reviewer"]),
    ("customer asks for an invoice", ["look up order", "render pdf"], ["export ledger"]),
)
"""By trigger, the steps of two skills."""

TASKS = (
    ("Roll the new release out to the staging environment", "deploy payments to staging please"),
    ("CI complains about formatting of the python files", "the linter fails on my branch"),
    ("add a column to the users table", "run the pending database migrations"),
    ("the worker keeps getting OOM killed", "container restarts because memory is exhausted"),
    ("someone committed a secret token to git", "renew the expired API credentials"),
    ("this unit test passes only sometimes", "a flaky test blocks the merge"),
    ("the report page takes 30 seconds because of SQL", "postgres query timeouts on orders"),
    ("production is broken since the last deploy, go back", "revert the bad release"),
    ("explain the new endpoint in the manual", "the README lacks the new option"),
    ("send Mrs Weber the bill for her March order", "a client wants an invoice"),
)
"""By place in SKILLS, two tasks in words of their own."""


@dataclass(frozen=True, slots=True)
class Skill:
    kind: int
    """The place of the trigger in SKILLS."""
    payload: CompetencePayload
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class Score:
    """What the choices of a rule were worth."""

    right: float
    """The share of choices of a skill for the task."""
    success: float
    """The mean success of a choice: the true rate of the skill, 0 for a skill for other tasks."""


def figures() -> Iterator[Figure]:
    """The selector on seeds that the formula was not chosen on, and two simpler rules."""
    fits = _fits()
    least: dict[Choice, Score] = {selector: Score(0.9, 0.57)}
    for rule, name in RULES.items():
        found, limit = _mean(fits, rule), least.get(rule)
        right, success = (limit.right, limit.success) if limit else (None, None)
        yield Figure(f"{name}, right skill", found.right, "share", least=right)
        yield Figure(f"{name}, success of the choice", found.success, "share", least=success)


def selector(parts: SelectorParts) -> float:
    return parts.score


def fit_alone(parts: SelectorParts) -> float:
    return parts.applicability


def mean_of_parts(parts: SelectorParts) -> float:
    return (parts.applicability + parts.success + parts.recency) / 3


RULES: Mapping[Choice, str] = {
    selector: "selection",
    fit_alone: "selection by fit alone",
    mean_of_parts: "selection by the mean of the parts",
}


def _mean(fits: Sequence[tuple[int, Sequence[float]]], rule: Choice) -> Score:
    scores = [score_of(fits, rule, seed) for seed in SEEDS]
    return Score(mean(each.right for each in scores), mean(each.success for each in scores))


def score_of(fits: Sequence[tuple[int, Sequence[float]]], rule: Choice, seed: int) -> Score:
    """The score of a rule over DRAWS tasks; `fits` has the kind and the skills' fit by task."""
    random = Random(seed)
    right, success = 0, 0.0
    for _ in range(DRAWS):
        kind, fit = random.choice(fits)
        drawn = [_drawn(each, random) for each in fit]
        best = max(range(len(drawn)), key=lambda place: rule(drawn[place][0]))
        if best % len(SKILLS) == kind:
            right += 1
            success += drawn[best][1]
    return Score(right / DRAWS, success / DRAWS)


def _drawn(fit: float, random: Random) -> tuple[SelectorParts, float]:
    """The parts of a skill with uses drawn anew, and the true success rate."""
    rate = random.betavariate(2, 1.5)
    uses = int(10 ** random.uniform(0, 1.7)) - 1
    successes = sum(random.random() < rate for _ in range(uses))
    recency = 0.5 ** (random.expovariate(1 / 30) / 30)
    return SelectorParts(fit, success_bound(successes, uses - successes), recency), rate


def _fits() -> Sequence[tuple[int, Sequence[float]]]:
    """By task the kind of the task, and the fit of every skill."""
    encoder = SentenceEncoder()
    skills = [_skill(kind, steps, encoder) for steps in (1, 2) for kind in range(len(SKILLS))]
    found = []
    for kind, tasks in enumerate(TASKS):
        for task in tasks:
            terms = question_of(task, NOW).terms
            (asked,) = encoder.embed([task])
            fit = [
                applicability(each.payload, terms, _cosine(asked, each.vector)).value
                for each in skills
            ]
            found.append((kind, fit))
    return found


def _skill(kind: int, place: int, encoder: SentenceEncoder) -> Skill:
    trigger, steps = SKILLS[kind][0], SKILLS[kind][place]
    fields = {
        "kind": "competence",
        "skill_name": f"skill {kind}",
        "triggers": [{"signal": trigger}],
        "recipe": [{"step": each} for each in steps],
    }
    (vector,) = encoder.embed(["\n".join([trigger, *steps])])
    return Skill(kind, CompetencePayload.model_validate(fields), vector)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
