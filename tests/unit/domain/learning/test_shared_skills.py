"""A skill of several scopes shows what at least two of the scopes have."""

from dataclasses import replace

import pytest

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.plans import new_plan, updated_plan
from membrane.domain.learning.relearned import relearned_payload
from membrane.domain.learning.skills import (
    TASK_WORDS,
    Evidence,
    best_match,
    new_skill,
    updated_skill,
)
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PlanGraphPayload,
    Trigger,
)
from tests.builders.traces import a_call, a_trace, an_evidence

SUCCESS, FAILURE = OutcomeStatus.SUCCESS, OutcomeStatus.FAILURE


def evidence_of(**traces: EpisodicPayload) -> list[Evidence]:
    """A trace for each name; the first letter of the name is the scope."""
    return [
        replace(an_evidence(trace, number), party=(name[0], ""))
        for number, (name, trace) in enumerate(traces.items(), start=1)
    ]


def a_skill(**traces: EpisodicPayload) -> CompetencePayload:
    skill = new_skill(evidence_of(**traces))
    assert skill is not None
    return skill


def deployed(place: str, **fields: str) -> EpisodicPayload:
    """A trace of three calls, with `place` and the fields as arguments of the first call."""
    build = a_call("build", args={"place": place, **fields}, result={"image": f"image-{place}"})
    push = a_call("push", args={"image": f"image-{place}"})
    return a_trace([build, push, "roll_out"])


def test_arguments_that_vary_have_no_examples() -> None:
    skill = a_skill(a=deployed("rome", mode="fast"), b=deployed("oslo", mode="fast"))

    schema = skill.recipe[0].args_schema
    assert schema["properties"] == {"place": {"type": "string"}, "mode": {"const": "fast"}}


def test_a_constant_that_one_scope_alone_has_is_not_shown() -> None:
    checked = a_call("check", args={"region": "rome"})
    long = a_trace(["build", checked, "push", "roll_out"])

    skill = a_skill(a=long, a_2=long, b=a_trace())

    assert [step.tool for step in skill.recipe] == ["build", "check", "push", "roll_out"]
    assert skill.recipe[1].args_schema["properties"] == {"region": {"type": "string"}}


def test_a_constant_of_two_scopes_stays_while_all_traces_have_it() -> None:
    skill = a_skill(a=deployed("rome"), b=deployed("rome"))
    (same, other) = evidence_of(c=deployed("rome"), d=deployed("oslo"))

    grown = updated_skill(skill, same, is_shared=True)
    varied = updated_skill(grown, other, is_shared=True)

    assert grown.recipe[0].args_schema["properties"] == {"place": {"const": "rome"}}
    assert varied.recipe[0].args_schema["properties"] == {"place": {"type": "string"}}


def test_the_plan_shows_no_value_of_a_single_scope() -> None:
    plan = new_plan(evidence_of(a=deployed("rome"), b=deployed("oslo")))
    assert plan is not None
    (later,) = evidence_of(c=deployed("bern", mode="fast"))

    grown = updated_plan(plan, later, is_shared=True)

    shown = repr(plan) + repr(grown)
    assert [each for each in ("rome", "oslo", "bern", "fast", "examples") if each in shown] == []
    assert grown.nodes[0].params["properties"]["mode"] == {"type": "string"}


def test_words_that_one_scope_named_are_not_shown() -> None:
    skill = a_skill(
        a=a_trace(task="Deploy the parser for zedekiah"),
        b=a_trace(task="Deploy the parser near obadiah"),
    )

    trigger = skill.triggers[0]
    assert trigger.signal == "deploy parser"
    assert skill.skill_name == "deploy parser: build → push → roll_out"
    assert sorted(trigger.conditions[TASK_WORDS].values()) == [2, 2]


def test_a_later_trace_adds_no_word_and_matches_by_those_that_are_left() -> None:
    tasks = ("Deploy the parser for zedekiah", "Deploy the parser near obadiah")
    skill = a_skill(a=a_trace(task=tasks[0]), b=a_trace(task=tasks[1]))
    later = a_trace(task="Deploy the parser of habakkuk")
    (evidence,) = evidence_of(c=later)

    assert best_match([skill], later) == 0
    assert best_match([skill], a_trace(task="Wash the windows")) is None
    assert "habakkuk" not in repr(updated_skill(skill, evidence, is_shared=True))


def test_a_word_shows_as_two_scopes_spell_it_and_else_as_its_stem() -> None:
    tasks = {"a": "Import the accounts parser", "b": "Import an account parser"}
    skill = a_skill(**{scope: a_trace(task=task) for scope, task in tasks.items()})

    later = evidence_of(c=a_trace(task="Important account parser"))[0]
    after = updated_skill(skill, later, is_shared=True)

    assert skill.triggers[0].signal == "import account parser"
    assert after.triggers[0].signal == "import account parser"


@pytest.mark.parametrize("erase", [False, True])
def test_a_name_loses_the_words_that_one_scope_alone_has_left(*, erase: bool) -> None:
    long, short = "Release the falcon parser", "Release the parser"
    evidence = evidence_of(a=a_trace(task=long), b=a_trace(task=long), c=a_trace(task=short))
    skill = new_skill(evidence)
    assert skill is not None
    assert "falcon" in skill.skill_name

    left = relearned_payload(
        skill, [evidence[0], evidence[2]], [SUCCESS], is_complete=True, is_shared=True, erase=erase
    )

    assert isinstance(left, CompetencePayload)
    assert "falcon" not in left.skill_name


def test_the_signal_that_a_caller_has_written_stays() -> None:
    written = Trigger(signal="deploy parser", conditions={"task": "", "event_kind": "task"})
    skill = a_skill(a=a_trace(), b=a_trace()).model_copy(update={"triggers": (written,)})
    later = evidence_of(
        c=a_trace(task="Deploy the parser of habakkuk"), d=a_trace(task="Deploy the parser")
    )

    for each in later:
        skill = updated_skill(skill, each, is_shared=True)

    assert skill.triggers[0].signal == "deploy parser"


def test_scopes_whose_tasks_share_no_word_share_no_skill() -> None:
    evidence = evidence_of(a=a_trace(task="Deploy parser"), b=a_trace(task="Roll out linker"))

    assert new_skill(evidence) is None
    assert new_skill(evidence_of(a=a_trace(task=""), b=a_trace(task=""))) is not None


def test_successes_of_one_scope_and_a_failure_of_another_make_no_skill() -> None:
    assert new_skill(evidence_of(a=a_trace(), a_2=a_trace(), b=a_trace(outcome=FAILURE))) is None


def failed(error: str) -> EpisodicPayload:
    return a_trace(["build", a_call("push", result={"error": error})], outcome=FAILURE)


def recovered(error: str) -> EpisodicPayload:
    return a_trace([a_call("build", result={"error": error}), "build", "push", "roll_out"])


@pytest.mark.parametrize(
    ("errors", "shown"), [(("no room", "no room"), True), (("no room 1", "no room 2"), False)]
)
def test_an_error_is_shown_if_two_scopes_met_it(errors: tuple[str, str], *, shown: bool) -> None:
    one, other = errors

    skill = a_skill(
        a=recovered(one), b=recovered(other), a_2=failed(one), c=failed(other), d=failed("zedekiah")
    )

    modes, helped = ("push: no room",), ("call build again when build fails: no room",)
    assert skill.failure_modes == (modes if shown else ())
    assert skill.fallbacks == (helped if shown else ())
    (later,) = evidence_of(e=failed("obadiah"))
    assert updated_skill(skill, later, is_shared=True).failure_modes == skill.failure_modes


def test_a_plan_without_its_flow_between_two_scopes_ends_though_the_skill_stays() -> None:
    founding = evidence_of(a=deployed("rome"), b=deployed("rome"), c=deployed("oslo"))
    skill, plan = new_skill(founding), new_plan(founding)
    assert skill is not None
    assert plan is not None

    def left_of(
        payload: CompetencePayload | PlanGraphPayload,
    ) -> CompetencePayload | PlanGraphPayload | None:
        return relearned_payload(
            payload, founding[:2], [SUCCESS], is_complete=True, is_shared=True, erase=False
        )

    assert left_of(skill) is not None
    assert left_of(plan) is None
