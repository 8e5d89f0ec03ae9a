"""The tool `remember`: a text becomes a capture, a fact an observation, and both have an id."""

import pytest

from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.records.payloads import SemanticPayload
from tests.worlds.tools import SCOPE, Agent, key


def test_a_text_is_recalled_by_the_next_call(agent: Agent) -> None:
    answer = agent.call("remember", text="Alice prefers tea")

    memory_id = answer.reply["id"]
    assert answer.reply == {"id": memory_id, "type": "semantic", "scope": SCOPE}
    assert answer.text.startswith(f'Remembered as {memory_id} in scope "team:a".')
    assert agent.recalled("tea") == [memory_id]


def test_the_key_is_the_reporter(agent: Agent) -> None:
    answer = agent.call("remember", text="Alice prefers tea")

    stored = agent.stored(answer.reply["id"])
    assert stored.record.provenance.sources[0].created_by == "agent"


def test_a_text_is_a_note_of_the_scope_or_the_user_that_outlives_a_month(agent: Agent) -> None:
    users = Agent(agent.services, key(scopes=("app:*",), user_prefix="app:", user_required=True))
    notes = {
        SCOPE: agent.stored(agent.remember("tea")),
        "ann": users.stored(users.remember("tea", user="ann")),
    }

    for subject, note in notes.items():
        payload = note.record.payload
        assert isinstance(payload, SemanticPayload)
        assert (payload.subject, payload.predicate, payload.object) == (subject, "noted", "tea")
        assert note.record.lifecycle.decay.half_life_seconds == 30 * 86_400


def test_notes_stand_beside_each_other_and_can_be_corrected(agent: Agent) -> None:
    tea, coffee = agent.remember("Alice prefers tea"), agent.remember("Bob prefers coffee")
    water = agent.call("correct", id=tea, object="Alice prefers water").reply["id"]

    assert set(agent.recalled()) == {water, coffee}


def test_a_fact_is_one_record_and_stating_it_again_makes_none(agent: Agent) -> None:
    fact = {"subject": "Alice", "predicate": "likes", "object": "tea", "on_conflict": "replace"}
    first = agent.call("remember", **fact)
    again = agent.call("remember", **fact)

    assert again.reply == {**first.reply, "known": True}
    assert "the fact was known" in again.text


def test_any_json_value_can_be_the_object(agent: Agent) -> None:
    answer = agent.call("remember", subject="job", predicate="retries", value=0)

    payload = agent.stored(answer.reply["id"]).record.payload
    assert isinstance(payload, SemanticPayload)
    assert payload.object == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": " "},
        {"text": "\u200b\u2060\ufeff\u200d\0"},
        {"text": "tea", "subject": "Alice"},
        {"subject": "Alice", "predicate": "likes"},
        {"subject": "Alice", "predicate": "likes", "object": " \u200b"},
        {"object": "tea"},
        {"text": "tea", "on_conflict": "replace"},
    ],
    ids=[
        "nothing", "blank", "unseen", "both", "no-object", "unseen-object", "no-subject",
        "conflict-of-a-text",
    ],
)  # fmt: skip
def test_neither_a_text_nor_a_whole_fact_is_refused_and_leaves_nothing(
    agent: Agent, arguments: dict[str, str]
) -> None:
    with pytest.raises(InvalidArgument, match=r"request (needs|has)"):
        agent.call("remember", **arguments)

    assert agent.recalled() == []


def test_arguments_cannot_widen_the_key(agent: Agent) -> None:
    with pytest.raises(PermissionDenied, match="the key does not cover this scope"):
        agent.remember("tea", scope="team:b")


def test_a_known_fact_may_be_replaced_only_with_the_permission_to_revise(agent: Agent) -> None:
    berlin = agent.remember_fact("Alice", "lives_in", "Berlin")
    plain = Agent(agent.services, key("read", "ingest"))

    with pytest.raises(PermissionDenied, match="revise"):
        plain.remember_fact("Alice", "lives_in", "Paris", on_conflict="replace")
    paris = agent.remember_fact("Alice", "lives_in", "Paris", on_conflict="replace")

    assert agent.recalled(subject="Alice") == [paris]
    assert f"read {paris} for what holds now" in agent.call("read", id=berlin).text
