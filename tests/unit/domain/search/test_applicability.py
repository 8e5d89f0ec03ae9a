"""How well the triggers of a skill, or the intent of a plan, fit a task."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.values import LargeValue
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.search.applicability import MAX_TRIGGERS, Applicability, applicability
from membrane.domain.search.questions import question_of
from tests.builders.records import NOW

WORDS = st.lists(st.sampled_from(["linker", "cache", "gopher", "staging", "build"]), max_size=5)


def fit(payload: Any, task: str, similarity: float = 0.0) -> Applicability:
    return applicability(payload, question_of(task, NOW).terms, similarity)


def skill(*signals: str, **conditions: Any) -> CompetencePayload:
    """A skill with a trigger for each signal, all under the same conditions."""
    triggers = [{"signal": signal, "conditions": conditions} for signal in signals]
    fields = {"kind": "competence", "skill_name": "s", "triggers": triggers, "recipe": []}
    return CompetencePayload.model_validate(fields)


def plan(intent: str, *ops: str) -> PlanGraphPayload:
    nodes = [{"id": str(place), "op": op} for place, op in enumerate(ops)]
    fields = {"kind": "plan_graph", "plan_id": "p", "version": "1", "intent": intent, "edges": []}
    return PlanGraphPayload.model_validate({**fields, "nodes": nodes})


def test_a_trigger_counts_by_the_words_that_the_task_has() -> None:
    failing = skill("linker cache broken")

    assert fit(failing, "the linker of the cache is broken").value == pytest.approx(3 / 3.5)
    assert fit(failing, "clear the cache").value == pytest.approx(1 / 3.5)
    assert fit(failing, "write a poem").value == 0.0


def test_the_best_trigger_counts_and_is_named() -> None:
    best = fit(skill("write poem", "clear cache"), "clear a cache")

    assert best.value == pytest.approx(2 / 2.5)
    assert best.trigger == "clear cache"


def test_a_trigger_of_more_words_that_are_all_met_is_the_better_match() -> None:
    task = "staging build fails"

    assert fit(skill("staging build fails"), task).value > fit(skill("build fails"), task).value


def test_a_condition_counts_where_the_task_names_the_condition_and_else_not() -> None:
    for_go = skill("tests fail", language="Ruby", event_kind="user_request")

    assert fit(for_go, "Ruby tests fail").value == pytest.approx(3 / 3.5)
    assert fit(for_go, "Rust tests fail").value == fit(skill("tests fail"), "tests fail").value


def test_a_higher_similarity_takes_the_place_of_the_match() -> None:
    assert fit(skill("linker broken"), "linker", 0.9) == Applicability(0.9, "linker broken")
    assert fit(skill("linker broken"), "linker", 0.1).value == pytest.approx(1 / 2.5)
    assert fit(skill(), "linker", 0.4) == Applicability(0.4)


def test_a_plan_fits_by_intent_and_operations() -> None:
    release = plan("release a service", "build", "deploy to staging")

    assert fit(release, "release the service").value == pytest.approx(2 / 2.5)
    assert fit(release, "release the service to staging").value == pytest.approx(3 / 3.5)


def test_conditions_in_the_bucket_and_triggers_without_words_do_not_count() -> None:
    stored = skill("linker broken")
    large = LargeValue("r", "0" * 64, 9)
    trigger = stored.triggers[0].model_copy(update={"conditions": large})

    assert fit(stored.model_copy(update={"triggers": (trigger,)}), "linker").value > 0
    assert fit(skill("the of and"), "the of and").value == 0.0


def test_only_the_first_triggers_are_compared() -> None:
    signals = ["poem"] * MAX_TRIGGERS + ["linker"]

    assert fit(skill(*signals), "linker").value == 0.0


@given(WORDS, WORDS, WORDS)
def test_more_words_in_a_task_never_lower_the_match(
    signal: list[str], task: list[str], more: list[str]
) -> None:
    known = skill(" ".join(signal))

    assert fit(known, " ".join(task)).value <= fit(known, " ".join(task + more)).value <= 1
