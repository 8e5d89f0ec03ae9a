"""Which skill or plan to take, why, and what would change the choice."""

from datetime import timedelta
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds, rfc3339
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.usefulness import Usefulness
from membrane.domain.search.questions import question_of
from membrane.domain.search.selection import (
    CLOSE,
    MAX_EXPLAINED,
    MAX_SHOWN_TRIGGER,
    Selection,
    selection_of,
)
from membrane.domain.search.selector import (
    LOWER,
    MAX_TRIGGERS,
    MAX_USES,
    Applicability,
    applicability,
    success_bound,
    track_record,
)
from tests.builders.records import NOW, a_stored_record

NOW_S = epoch_seconds(NOW)
ROUNDED = 2e-6
"""How far a statement about a choice may be off."""

FRACTIONS = st.floats(min_value=0, max_value=1)


def skill(
    record_id: str = "k",
    *,
    confidence: float = 0.6,
    reinforced: str = rfc3339(NOW),
    **performance: Any,
) -> MemoryRecord:
    """A skill."""
    payload = {"kind": "competence", "skill_name": "fix", "triggers": [], "recipe": []}
    return record(record_id, confidence, reinforced, payload | {"performance": performance or None})


def plan(record_id: str = "p", *, confidence: float = 0.6, **metrics: Any) -> MemoryRecord:
    """A plan."""
    payload = {"kind": "plan_graph", "plan_id": "p", "version": "1", "nodes": [], "edges": []}
    return record(record_id, confidence, rfc3339(NOW), payload | {"metrics": metrics or None})


def record(
    record_id: str, confidence: float, reinforced: str, payload: dict[str, Any]
) -> MemoryRecord:
    """A record of that payload."""
    usual = a_stored_record().record.model_dump(mode="python", by_alias=True)
    usual["lifecycle"]["last_reinforced_at"] = reinforced
    own = {"id": record_id, "type": payload["kind"], "confidence": confidence, "payload": payload}
    return MemoryRecord.model_validate(usual | own)


def selected(*known: MemoryRecord, **fitting: float) -> Selection:
    fits = {record_id: Applicability(value) for record_id, value in fitting.items()}
    selection = selection_of(known, NOW_S, fits)
    assert selection is not None
    return selection


def used_again(known: MemoryRecord, *, successes: int = 0, failures: int = 0) -> MemoryRecord:
    """The record just after further uses."""
    now = rfc3339(NOW)
    match known.payload:
        case CompetencePayload(performance=before):
            performance = {
                "success_count": successes + (before.success_count if before else 0),
                "failure_count": failures + (before.failure_count if before else 0),
                "last_used_at": now,
            }
            payload: dict[str, Any] = {"performance": performance}
        case PlanGraphPayload(metrics=metrics):
            count = metrics.execution_count if metrics else 0
            failed = failures + (count * metrics.failure_rate if metrics else 0.0)
            count += successes + failures
            rate = min(1.0, failed / count)
            counted = {"execution_count": count, "failure_rate": rate, "last_executed_at": now}
            payload = {"metrics": counted}
        case _:
            raise AssertionError(known.type)
    fields = known.model_dump(mode="python", by_alias=True)
    return MemoryRecord.model_validate({**fields, "payload": {**fields["payload"], **payload}})


# --- Score and order ----------------------------------------------------------------------------


def test_the_fit_to_the_task_takes_the_place_of_the_confidence() -> None:
    known = [skill("sure", confidence=1.0), skill("fitting", confidence=0.1)]

    assert selected(*known, sure=0.2, fitting=0.8).selected == ("fitting", "sure")


def test_nine_successes_of_ten_come_before_one_of_one() -> None:
    once = skill("once", success_count=1)
    often = skill("often", success_count=9, failure_count=1)

    assert selected(once, often).selected == ("often", "once")


def test_a_skill_that_failed_comes_after_a_skill_that_was_never_tried() -> None:
    assert selected(skill("failed", failure_count=2), skill("new")).selected == ("new", "failed")


@pytest.mark.parametrize(
    ("known", "successes", "failures"),
    [
        (skill(), 0, 0),
        (skill(success_count=0, failure_count=0, success_rate=0.9), 0, 0),
        (skill(success_count=1, failure_count=3), 1, 3),
        (plan(), 0, 0),
        (plan(failure_rate=0.2), 0, 0),
        (plan(failure_rate=0.2, execution_count=5), 4, 1),
    ],
    ids=["unused", "never tried", "tried", "unused plan", "plan never run", "plan run"],
)
def test_success_rests_on_what_was_counted(
    known: MemoryRecord, successes: float, failures: float
) -> None:
    (reason,) = selected(known).reasons

    track = reason.track_record
    assert (track.successes, track.failures) == pytest.approx((successes, failures))
    assert reason.parts.success == pytest.approx(success_bound(successes, failures))


@pytest.mark.parametrize(
    ("reinforced", "used", "recency"),
    [
        (rfc3339(NOW - timedelta(days=30)), None, 0.5),
        (rfc3339(NOW - timedelta(days=60)), None, 0.25),
        (rfc3339(NOW + timedelta(days=60)), None, 1.0),
        (NOT_GIVEN, None, 0.5),
        (NOT_GIVEN, NOT_GIVEN, 0.5),
        (rfc3339(NOW), rfc3339(NOW - timedelta(days=30)), 0.5),
        (NOT_GIVEN, rfc3339(NOW - timedelta(days=60)), 0.25),
    ],
    ids=["a month", "two months", "in the future", "never", "zero time", "used", "used alone"],
)
def test_recency_halves_in_thirty_days_since_the_last_use_or_reinforcement(
    reinforced: str, used: str | None, recency: float
) -> None:
    (of_skill,) = selected(skill(reinforced=reinforced, last_used_at=used)).reasons

    assert of_skill.parts.recency == pytest.approx(recency)


# --- Why ----------------------------------------------------------------------------------------


def test_two_strong_candidates_that_are_as_good_leave_the_choice_to_the_caller() -> None:
    known = [skill(each, confidence=1.0, success_count=20) for each in "ba"]

    selection = selected(*known)

    assert selection.selected == ("a", "b")
    assert (selection.confidence, selection.needs_more) == (0.0, True)
    assert selection.as_good == ("b",)
    assert selection.why == (
        "1 candidate is as good as a, which has a strong score of 0.96: any of them will do."
    )


def test_weak_candidates_that_are_as_good_ask_for_more_about_the_task() -> None:
    selection = selected(skill("a"), skill("b"), skill("c"))

    assert selection.as_good == ("b", "c")
    assert selection.why == (
        "2 candidates are as good as a, which has a weak score of 0.38: "
        "a task in more words may tell them apart."
    )


def test_a_candidate_that_no_use_would_put_first_says_so() -> None:
    selection = selected(skill("a", success_count=900), skill("b"), a=1.0, b=0.1)

    assert selection.otherwise[0].successes is None
    assert selection.otherwise[0].parts == {}
    assert selection.otherwise[0].failures is None
    assert selection.why.endswith("No number of uses would put b first.")


def test_the_best_ten_are_explained_and_all_have_a_score() -> None:
    known = [skill(f"k{number:02}") for number in range(12)]

    selection = selected(*known)

    assert [each.id for each in selection.reasons] == list(selection.selected[:MAX_EXPLAINED])
    assert [each.id for each in selection.otherwise] == list(selection.selected[1:MAX_EXPLAINED])
    assert len(selection.scores) == 12


def test_a_reason_names_the_trigger_that_the_task_met() -> None:
    fitting = {"k": Applicability(0.7, "x" * 1_000)}

    selection = selection_of([skill()], NOW_S, fitting)

    assert selection is not None
    assert selection.reasons[0].trigger == "x" * MAX_SHOWN_TRIGGER


# --- What would change the choice ---------------------------------------------------------------

DAYS = st.integers(0, 200)
COUNTS = st.integers(0, 30)


@st.composite
def candidates(draw: st.DrawFn) -> list[tuple[MemoryRecord, float]]:
    """Two to five skills and plans, each with a fit to the task."""
    made = []
    for number in range(draw(st.integers(2, 5))):
        used = rfc3339(NOW - timedelta(days=draw(DAYS)))
        good, bad, name = draw(COUNTS), draw(COUNTS), f"k{number}"
        if draw(st.booleans()):
            known = skill(name, success_count=good, failure_count=bad, last_used_at=used)
        else:
            count = good + bad
            rate = bad / count if count else 0.0
            known = plan(name, execution_count=count, failure_rate=rate, last_executed_at=used)
        made.append((known, draw(FRACTIONS)))
    return made


def choice(known: dict[str, MemoryRecord], fits: dict[str, float]) -> Selection:
    return selected(*known.values(), **fits)


@given(candidates())
def test_so_many_more_successes_and_no_fewer_put_a_candidate_before_the_first(
    made: list[tuple[MemoryRecord, float]],
) -> None:
    known, fits = {each.id: each for each, _ in made}, {each.id: fit for each, fit in made}
    selection = choice(known, fits)
    first = selection.selected[0]

    for other in selection.otherwise:
        enough = other.successes
        if enough is None:
            tried = {first: known[first], other.id: used_again(known[other.id], successes=1_000)}
            scores = choice(tried, fits).scores
            assert scores[other.id] < scores[first] + ROUNDED
            continue
        tried = {first: known[first], other.id: used_again(known[other.id], successes=enough)}
        assert choice(tried, fits).selected[0] == other.id
        if enough > 1:
            fewer = used_again(known[other.id], successes=enough - 1)
            scores = choice({first: known[first], other.id: fewer}, fits).scores
            assert scores[other.id] < scores[first] + ROUNDED


@given(candidates())
def test_so_many_failures_of_the_first_and_no_fewer_put_a_candidate_before_the_first(
    made: list[tuple[MemoryRecord, float]],
) -> None:
    known, fits = {each.id: each for each, _ in made}, {each.id: fit for each, fit in made}
    selection = choice(known, fits)
    first = selection.selected[0]

    for other in selection.otherwise:
        enough = 1_000 if other.failures is None else other.failures
        worse = used_again(known[first], failures=enough)
        scores = choice({first: worse, other.id: known[other.id]}, fits).scores
        if other.failures is None:
            assert scores[other.id] < scores[first] + ROUNDED
            continue
        assert scores[other.id] > scores[first]
        if enough > 1:
            fewer = used_again(known[first], failures=enough - 1)
            scores = choice({first: fewer, other.id: known[other.id]}, fits).scores
            assert scores[other.id] < scores[first] + ROUNDED


@given(candidates())
def test_a_fit_as_good_as_stated_puts_a_candidate_first_and_a_lower_fit_does_not(
    made: list[tuple[MemoryRecord, float]],
) -> None:
    known, fits = {each.id: each for each, _ in made}, {each.id: fit for each, fit in made}
    selection = choice(known, fits)
    first = selection.selected[0]

    for other in selection.otherwise:
        needed = other.parts.get("applicability")
        best = choice(known, {**fits, other.id: 1.0 if needed is None else needed})
        if needed is None:
            assert best.scores[other.id] < best.scores[first] + ROUNDED
        else:
            assert best.selected[0] == other.id
            lower = choice(known, {**fits, other.id: max(0.0, needed - 1e-5)})
            assert lower.scores[other.id] <= lower.scores[first]


@given(candidates())
def test_the_reasons_add_up_to_the_scores_and_the_gaps(
    made: list[tuple[MemoryRecord, float]],
) -> None:
    known, fits = {each.id: each for each, _ in made}, {each.id: fit for each, fit in made}

    selection = choice(known, fits)

    first = selection.scores[selection.selected[0]]
    for reason in selection.reasons:
        parts = reason.parts
        score = parts.applicability * (0.5 + 0.4 * parts.success + 0.1 * parts.recency)
        assert selection.scores[reason.id] == pytest.approx(score)
    for other in selection.otherwise:
        assert other.gap == pytest.approx(first - selection.scores[other.id])
        assert (other.id in selection.as_good) == (other.gap <= CLOSE)
        for name, value in other.parts.items():
            (mine,) = (each.parts for each in selection.reasons if each.id == other.id)
            assert value > getattr(mine, name)


def useful(successes: float, failures: float) -> Usefulness:
    return Usefulness(
        successes=successes,
        failures=failures,
        used=round(successes + failures),
        last_used_at=rfc3339(NOW),
        mean=0.5,
        width=0.1,
    )


def test_credit_counts_where_it_has_more_uses_than_the_payload() -> None:
    known = skill(success_count=2, failure_count=0)

    more = known.model_copy(update={"usefulness": useful(1.0, 9.0)})
    fewer = known.model_copy(update={"usefulness": useful(0.5, 1.0)})

    found = track_record(more)
    assert (found.successes, found.failures) == (1.0, 9.0)
    assert track_record(fewer) == track_record(known)


USES = st.floats(min_value=0, max_value=1e6)
WHOLE = st.integers(min_value=0, max_value=MAX_USES // 4)
EXACT = 1e-9


@given(WHOLE, WHOLE)
def test_the_bound_is_the_quantile_of_the_posterior(successes: int, failures: int) -> None:
    rate = success_bound(successes, failures)

    # For whole counts, the Beta distribution is a tail of the binomial distribution.
    tries = successes + failures + 1
    below = sum(
        comb(tries, hits) * rate**hits * (1 - rate) ** (tries - hits)
        for hits in range(successes + 1, tries + 1)
    )
    assert below == pytest.approx(LOWER, abs=1e-6)


@pytest.mark.parametrize(
    ("successes", "failures", "bound"),
    [(0, 0, 0.1), (1, 0, 0.316), (0, 1, 0.051), (9, 1, 0.690), (90, 10, 0.852)],
)
def test_the_bound_of_a_few_uses(successes: int, failures: int, bound: float) -> None:
    assert success_bound(successes, failures) == pytest.approx(bound, abs=1e-3)


@given(USES, USES, st.floats(min_value=1e-3, max_value=1e3))
def test_a_success_raises_the_bound_and_a_failure_lowers_the_bound(
    successes: float, failures: float, more: float
) -> None:
    bound = success_bound(successes, failures)

    assert success_bound(successes + more, failures) >= bound - EXACT
    assert success_bound(successes, failures + more) <= bound + EXACT
    assert 0 < bound < 1


WORDS = st.lists(st.sampled_from(["linker", "cache", "gopher", "staging", "build"]), max_size=5)


def fit(payload: Any, task: str, similarity: float = 0.0) -> Applicability:
    return applicability(payload, question_of(task, NOW).terms, similarity)


def triggered(*signals: str, **conditions: Any) -> CompetencePayload:
    """A triggered with a trigger for each signal, all under the same conditions."""
    triggers = [{"signal": signal, "conditions": conditions} for signal in signals]
    fields = {"kind": "competence", "skill_name": "s", "triggers": triggers, "recipe": []}
    return CompetencePayload.model_validate(fields)


def intended(intent: str, *ops: str) -> PlanGraphPayload:
    nodes = [{"id": str(place), "op": op} for place, op in enumerate(ops)]
    fields = {"kind": "plan_graph", "plan_id": "p", "version": "1", "intent": intent, "edges": []}
    return PlanGraphPayload.model_validate({**fields, "nodes": nodes})


def test_a_trigger_counts_by_the_words_that_the_task_has() -> None:
    failing = triggered("linker cache broken")

    assert fit(failing, "the linker of the cache is broken").value == pytest.approx(3 / 3.5)
    assert fit(failing, "clear the cache").value == pytest.approx(1 / 3.5)
    assert fit(failing, "write a poem").value == 0.0


def test_the_best_trigger_counts_and_is_named() -> None:
    best = fit(triggered("write poem", "clear cache"), "clear a cache")

    assert best.value == pytest.approx(2 / 2.5)
    assert best.trigger == "clear cache"


def test_a_condition_counts_where_the_task_names_the_condition_and_else_not() -> None:
    for_go = triggered("tests fail", language="Ruby", event_kind="user_request")

    assert fit(for_go, "Ruby tests fail").value == pytest.approx(3 / 3.5)
    assert fit(for_go, "Rust tests fail").value == fit(triggered("tests fail"), "tests fail").value


def test_a_higher_similarity_takes_the_place_of_the_match() -> None:
    assert fit(triggered("linker broken"), "linker", 0.9) == Applicability(0.9, "linker broken")
    assert fit(triggered("linker broken"), "linker", 0.1).value == pytest.approx(1 / 2.5)
    assert fit(triggered(), "linker", 0.4) == Applicability(0.4)


def test_a_plan_fits_by_intent_and_operations() -> None:
    release = intended("release a service", "build", "deploy to staging")

    assert fit(release, "release the service").value == pytest.approx(2 / 2.5)
    assert fit(release, "release the service to staging").value == pytest.approx(3 / 3.5)


def test_only_the_first_triggers_are_compared() -> None:
    signals = ["poem"] * MAX_TRIGGERS + ["linker"]

    assert fit(triggered(*signals), "linker").value == 0.0


@given(WORDS, WORDS, WORDS)
def test_more_words_in_a_task_never_lower_the_match(
    signal: list[str], task: list[str], more: list[str]
) -> None:
    known = triggered(" ".join(signal))

    assert fit(known, " ".join(task)).value <= fit(known, " ".join(task + more)).value <= 1
