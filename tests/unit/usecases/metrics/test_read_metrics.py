"""The metrics: every field by its formula, sums by lots, and no more than may be seen."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import DomainError, InvalidArgument, PermissionDenied
from membrane.domain.language.requests import validate
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize, Pin, Reinforce, RestoreRecord
from membrane.domain.metrics.snapshot import RANGES, GetMetrics
from membrane.domain.metrics.sums import CHOSEN, Lots
from membrane.usecases.lifecycle.surveying import Sampling
from membrane.usecases.read_metrics import Segments, read_metrics
from tests.builders.requests import ALPHA, OWNER, call, change
from tests.fakes.chat_models import Drawn
from tests.worlds.counted_records import Directly, Scene, require_right
from tests.worlds.depth import cases, examples

EMPTY = dict.fromkeys(RANGES, 0)

DECAYS = st.sampled_from(
    [
        {},
        {"half_life_seconds": 7},
        {"half_life_seconds": 500_000},
        {"half_life_seconds": 3_600, "min_salience": 0.3},
        {"half_life_seconds": 3_600, "max_age_seconds": 9_000},
        {"curve": "linear", "half_life_seconds": 4_000},
        {"curve": "custom", "custom_curve": "steps", "half_life_seconds": 5_000},
    ]
)
INGESTS = st.tuples(
    st.just("ingest"),
    st.fixed_dictionaries(
        {
            "memory_type": st.sampled_from(["episodic", "semantic", "competence", "plan_graph"]),
            "salience": st.sampled_from([0.0, 0.2, 0.5, 1.0]) | st.floats(0, 1.5),
            "confidence": st.floats(0, 1),
            "decay": DECAYS,
            "pinned": st.booleans(),
            "scope": st.sampled_from(["team", "other", ""]),
            "sensitivity": st.sampled_from(["public", "low", "high"]),
        }
    ),
)
CHANGES = st.tuples(
    st.sampled_from([Reinforce, Penalize, Pin, DeleteRecord, RestoreRecord]), st.integers(0, 20)
)
PAUSES = st.tuples(st.just("wait"), st.integers(0, 100_000) | st.sampled_from([1, 86_400]))
STEPS = st.lists(INGESTS | CHANGES | PAUSES, max_size=25)


def act(world: Scene, step: tuple[Any, Any]) -> None:
    """One thing that happens; what is refused changes nothing."""
    match step:
        case "ingest", fields:
            world.ingest(**fields)
        case "wait", seconds:
            world.clock.advance(seconds=seconds)
        case asked, position:
            named = list(world.records.places)
            if named:
                _try(world, asked, named[position % len(named)])


def _try(world: Scene, asked: Any, record_id: str) -> None:
    amount = {"amount": 0.1} if asked is Penalize else {}
    with suppress(DomainError):  # one that is deleted cannot be reinforced, and so on
        change(asked(id=record_id, **amount), world.services)


@settings(deadline=None, max_examples=examples(25))
@given(STEPS, st.sampled_from([0, 60, 5_000, 90_000, 3_000_000]))
def test_the_snapshot_is_what_the_records_tell_at_any_later_instant(
    steps: list[tuple[Any, Any]], later_s: int
) -> None:
    world = Scene.new()
    for step in steps:
        act(world, step)
    world.clock.advance(seconds=later_s)

    every = world.measure()
    scoped = world.measure(scopes=["team", "other"])

    require_right(every, Directly.of(world))
    require_right(scoped, Directly.of(world))
    assert every.error_bounds == scoped.error_bounds == {}


@settings(deadline=None, max_examples=examples(10))
@given(st.lists(INGESTS, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_writing_changes_no_number(steps: list[tuple[Any, Any]], random: Any) -> None:
    snapshots = []
    for order in (steps, random.sample(steps, len(steps))):
        world = Scene.new()
        for step in order:
            act(world, step)
        snapshots += [world.measure(), world.measure(scopes=["team"])]

    assert snapshots[:2] == snapshots[2:]


@settings(deadline=None, max_examples=1)
@given(st.integers(0, 2**32))
def test_a_sample_is_within_its_bounds(seed: int) -> None:
    world, random = Scene.new(), Random(seed)
    for _ in range(300):
        world.ingest(
            random.choice(["episodic", "competence"]),
            salience=random.random(),
            confidence=random.random(),
            pinned=random.random() < 0.2,
        )
    drawing = replace(world, services=world.services.but(draw=random.randrange))

    scoped = drawing.measure(scopes=["team"], sampling=Sampling(exact=20, block=2, blocks=5))
    every = drawing.measure(segments=Segments(read=4, items=40, finer=2))

    assert scoped.total_records == 300
    assert scoped.error_bounds["active_records"] > 0 < every.error_bounds["total_records"]
    assert scoped.sampled["competence_success_rate"] < 300
    for snapshot in (scoped, every):
        require_right(snapshot, Directly.of(world))


def test_an_answer_is_given_again_for_a_minute_to_the_same_principal_and_trust() -> None:
    world = Scene.new()
    asked, narrower = (
        validate(GetMetrics, {"trust": {"scopes": ["team"], "max_sensitivity": word}})
        for word in ("hyper", "low")
    )

    def told(request: GetMetrics, principal: Principal = OWNER) -> int:
        return read_metrics(request, call(request, principal), world.services).total_records

    before = told(asked)
    world.ingest()
    again, other = told(asked), told(asked, OWNER._replace(actor_id="somebody else"))
    less = told(narrower)
    world.clock.advance(seconds=60)

    assert (before, again, other, less, told(asked)) == (0, 0, 1, 1, 1)


def test_what_takes_too_long_is_refused() -> None:
    world = Scene.new()
    ticks = count(0.0, 15.0)
    slow = replace(world, services=world.services.but(elapsed_s=lambda: next(ticks)))

    for scopes in ([], ["team"]):
        with pytest.raises(InvalidArgument, match=r"more than 20 seconds: name scopes"):
            slow.measure(scopes=scopes)


def test_what_was_reinforced_revised_and_rated_is_counted_by_its_formula() -> None:
    world = Scene.new()
    skill = world.ingest("competence")
    world.ingest("plan_graph", pinned=True)
    change(Reinforce(id=skill.id), world.services)

    snapshot = world.measure()

    assert snapshot.records_by_type == {"competence": 1, "plan_graph": 1}
    assert (snapshot.total_audit_entries, snapshot.pinned_records) == (3, 1)
    assert snapshot.retrieval_usefulness == pytest.approx(1 / 3)
    assert snapshot.competence_success_rate == pytest.approx(0.3)
    assert snapshot.plan_reuse_frequency == 5
    assert snapshot.memory_growth_rate == 1


def test_what_is_hidden_changes_no_number() -> None:
    world = Scene.new()
    world.ingest(scope="shared", salience=0.3)
    before = world.measure(ALPHA)

    world.ingest("competence", scope="shared", sensitivity="hyper", decay={"half_life_seconds": 5})
    world.ingest("semantic", scope="project:beta", pinned=True)

    assert world.measure(ALPHA) == before


def test_the_scopes_of_a_key_are_for_who_may_read() -> None:
    keeper = principal_of("keeper", ["admin"], ["team"], "hyper")

    with pytest.raises(PermissionDenied):
        Scene.new().measure(keeper)


def test_too_many_scopes_must_be_named() -> None:
    many = principal_of("many", ["read"], [f"scope-{number}" for number in range(51)], "low")

    with pytest.raises(InvalidArgument, match="50 scopes"):
        Scene.new().measure(many)


def test_the_older_entries_of_a_long_trail_are_taken_to_be_like_the_newest() -> None:
    world = Scene.new()
    record = world.ingest()
    for _ in range(30):
        change(Reinforce(id=record.id), world.services)

    snapshot = world.measure()

    assert (snapshot.total_audit_entries, snapshot.retrieval_usefulness) == (31, 1)
    assert snapshot.sampled == {"retrieval_usefulness": 1, "revision_rate": 1}


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
