"""The tool `correct`: a fact gets the right value, a memory is retracted, an episode stays."""

import pytest

from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.lifecycle.requests import ChangeLifecycle, Pin
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.salience.lifecycle import DecayChange
from membrane.usecases.lifecycle.change_fading import change_lifecycle, pin_record
from membrane.usecases.machinery.calls import Call
from tests.worlds.tools import Agent


def test_a_fact_gets_the_right_value_and_the_old_one_leads_to_it(agent: Agent) -> None:
    berlin = agent.remember_fact("Alice", "lives_in", "Berlin", tags=["home"])

    answer = agent.call("correct", id=berlin, object="Paris", why="she moved")

    paris = answer.reply["id"]
    assert answer.reply == {"id": paris, "replaced": berlin}
    assert f'{paris} now holds with the value "Paris"' in answer.text
    assert agent.recalled(subject="Alice") == [paris]
    assert agent.call("read", id=berlin).reply["superseded_by"] == paris
    held = agent.stored(paris)
    assert isinstance(held.record.payload, SemanticPayload)
    assert (held.record.payload.predicate, held.record.tags) == ("lives_in", ("home",))
    assert "she moved" in held.record.audit_log[0].rationale
    source = held.record.provenance.sources[0]
    assert (source.ref, source.created_by) == ("she moved", agent.principal.actor_id)


def test_the_right_value_fades_and_is_pruned_as_the_wrong_one(agent: Agent) -> None:
    fact = agent.remember_fact("Alice", "lives_in", "Berlin")
    call = Call(agent.principal, "ChangeLifecycle", None, b"")
    decay = DecayChange(half_life_seconds=99_999_999, min_salience=0.5)
    kept = ChangeLifecycle(id=fact, decay=decay, deletion_policy=DeletionPolicy.NEVER)
    change_lifecycle(kept, call, agent.services)
    pin_record(Pin(id=fact), call, agent.services)

    paris = agent.call("correct", id=fact, object="Paris").reply["id"]

    before, after = (agent.stored(each).record.lifecycle for each in (fact, paris))
    assert (after.decay.half_life_seconds, after.decay.min_salience) == (99_999_999, 0.5)
    assert (after.decay, after.pinned, after.deletion_policy) == (before.decay, True, "never")


def test_false_is_a_value(agent: Agent) -> None:
    fact = agent.remember_fact("service", "is_up", value=True)

    assert "the value false" in agent.call("correct", id=fact, object=False).text


def test_a_retracted_fact_is_left_out_of_recall_and_still_read(agent: Agent) -> None:
    fact = agent.remember_fact("Alice", "likes", "tea")

    answer = agent.call("correct", id=fact, retract=True)

    assert answer.reply == {"id": fact, "retracted": True}
    assert agent.recalled() == []
    assert agent.call("read", id=fact).reply["retracted"] is True


@pytest.mark.parametrize(
    "correction", [{"object": "x"}, {"retract": True}], ids=["value", "retract"]
)
def test_an_episode_stays_as_it_happened(agent: Agent, correction: dict[str, object]) -> None:
    task = agent.call("record_outcome", status="success", task="Made tea")
    episode = task.reply["id"]

    with pytest.raises(FailedPrecondition, match="stays as it happened"):
        agent.call("correct", id=episode, **correction)


def test_a_memory_that_is_no_fact_has_no_value_to_replace(agent: Agent) -> None:
    state = agent.call("working_state", thread_id="t", state="done").reply["id"]

    with pytest.raises(FailedPrecondition, match="of type working, without a value"):
        agent.call("correct", id=state, object="x")


@pytest.mark.parametrize(
    "correction",
    [{}, {"object": "\u200b"}, {"object": "x", "retract": True}],
    ids=["neither", "unseen", "both"],
)
def test_a_value_or_a_retraction_is_needed(agent: Agent, correction: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="needs object, or retract as true"):
        agent.call("correct", id="memory-1", **correction)


def test_an_absent_memory_is_not_found(agent: Agent) -> None:
    with pytest.raises(NotFound, match="record not found"):
        agent.call("correct", id="memory-1", object="x")
