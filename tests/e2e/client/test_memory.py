"""The client against a running service: writes, recall, corrections and users."""

import pytest

from membrane_client import Membrane, MemoryClient, NotFound
from membrane_client.values.payloads import EpisodicPayload
from tests.e2e.stack import Stack
from tests.worlds.depth import examples


def test_what_was_just_remembered_is_recalled_every_time(memory: Membrane) -> None:
    for number in range(examples(100)):
        told = memory.remember(f"service-{number}", "listens_on", 8000 + number)

        found = memory.recall(f"Where does service-{number} listen?", limit=1)

        assert [each.id for each in found] == [told.id]


def test_a_burst_of_a_hundred_is_recalled_whole(memory: Membrane) -> None:
    told = [memory.remember(f"service-{number}", "listens_on", 8000) for number in range(100)]

    found = memory.recall("Which service listens where?", limit=100)

    assert {each.id for each in found} == {each.id for each in told}


def test_a_memory_in_brief_has_text_score_time_and_the_actor_of_the_key(memory: Membrane) -> None:
    told = memory.remember("billing", "runs_on", "Lambda", tags=["infra"])

    (found,) = memory.recall("What does billing run on?")

    assert "Lambda" in found.text
    assert 0.0 < (found.score or 0.0) <= 1.0
    assert (found.id, found.when, found.who) == (told.id, told.created_at, "local")
    assert (found.tags, found.type) == (["infra"], "semantic")


def test_messages_of_a_conversation_are_recalled_with_their_speakers(memory: Membrane) -> None:
    said = memory.add(
        [
            {"role": "user", "name": "Ada", "content": "My favourite tea is Assam."},
            {"role": "assistant", "content": "Noted."},
        ],
        session="s1",
    )
    further = memory.add([{"role": "user", "content": "And milk."}], session="s1")

    found = memory.recall("Which tea is the favourite?", limit=1)[0]

    assert [said.thread_id, said.first_turn, said.next_turn, further.first_turn] == ["s1", 1, 3, 3]
    assert (found.id, found.who) == (said.records[0].id, "Ada")


def test_a_client_of_memstate_gets_what_it_knows(stack: Stack) -> None:
    with MemoryClient(stack.url, stack.secret) as client:
        told = client.ingest(
            placement="new_topic", title="Ada", fields=[{"name": "city", "value": "London"}]
        )
        found = client.query("Where does Ada live?")

    assert told["applied"] == [f"created_topic:{told['topic_id']}", "field:city"]
    assert found["candidates"][0]["fields"][0]["current"]["value"] == "London"


def test_a_correction_takes_the_place_of_a_fact_and_both_are_in_its_history(
    memory: Membrane,
) -> None:
    told = memory.remember("billing", "runs_on", "three servers", tags=["infra"])

    corrected = memory.correct(told.id, "Lambda", why="moved")

    found = memory.retrieve(subject="billing", predicate="runs_on")
    assert [each.id for each in found] == [corrected.id]
    assert corrected.tags == ["infra"]
    history = memory.history(told.id)
    assert [entry.content for entry in history] == ["Lambda", "three servers", "three servers"]
    assert history[0].who == "local"
    assert "moved" in (history[0].why or "")
    assert history == memory.history(corrected.id)


def test_a_correction_keeps_how_the_fact_ages(memory: Membrane) -> None:
    lifecycle = {
        "decay": {"half_life_seconds": 86_400, "min_salience": 0.25, "max_age_seconds": 9_999_999},
        "deletion_policy": "manual_only",
        "pinned": True,
    }
    told = memory.remember("billing", "runs_on", "three servers", lifecycle=lifecycle)

    corrected = memory.correct(told.id, "Lambda", why="moved")

    kept, old = corrected.lifecycle, told.lifecycle
    assert kept.decay == old.decay
    assert kept.decay.half_life_seconds == 86_400
    assert (kept.deletion_policy, kept.pinned) == ("manual_only", True)


def test_a_correction_has_a_time_a_reporter_and_a_source_of_its_own(memory: Membrane) -> None:
    told = memory.ingest_observation(
        "repro", "plan", "Pro", timestamp="2026-01-02T00:00:00Z", source="ada"
    )

    corrected = memory.correct(told.id, "Team", why="seen in the bill")
    memory.forget(told.id, why="wrong")

    [found] = memory.recall("the plan of repro")
    assert (found.text, found.when, found.who) == (
        "repro plan Team",
        corrected.created_at,
        "local",
    )
    source, replaced = corrected.provenance.sources
    assert (source.ref, source.created_by) == ("seen in the bill", "local")
    assert replaced.ref == told.id
    assert source.timestamp == corrected.created_at
    assert corrected.payload is not None
    [evidence] = corrected.payload.raw["evidence"]
    assert (evidence["source_id"], evidence["timestamp"]) == (source.ref, source.raw["timestamp"])
    assert memory.retrieve_by_id(corrected.id).provenance == corrected.provenance


def test_a_recall_without_memories_says_so(memory: Membrane) -> None:
    assert str(memory.recall("the plan of repro")) == "(nothing)"


def test_an_episode_is_no_fact_to_correct(memory: Membrane) -> None:
    episode = memory.ingest_event("build", "15")

    with pytest.raises(ValueError, match="record_id"):
        memory.correct(episode.id, "other", why="wrong")


def test_what_is_forgotten_is_gone(memory: Membrane) -> None:
    told = memory.remember("Ada likes tea")

    memory.forget(told.id, why="asked to")

    with pytest.raises(NotFound) as refused:
        memory.retrieve_by_id(told.id)
    assert refused.value.code == "NOT_FOUND"
    assert [entry.rationale for entry in memory.read_audit(told.id)][-1] == "asked to"


def test_a_value_that_no_request_carries_is_uploaded_and_comes_back_whole(
    memory: Membrane,
) -> None:
    log = "line\n" * 1_500_000

    told = memory.ingest_tool_output("build", result=log)

    for record in (told, memory.retrieve_by_id(told.id), memory.retrieve(limit=1)[0]):
        assert isinstance(record.payload, EpisodicPayload)
        assert record.payload.tool_graph[0].result == log


def test_a_large_write_repeated_under_its_key_is_done_once(memory: Membrane) -> None:
    log = "line\n" * 1_500_000
    items = [{"rpc": "IngestToolOutput", "source": "ci", "tool_name": "build", "result": log}] * 2

    first, again = (
        memory.ingest_tool_output("build", result=log, idempotency_key="build-15") for _ in "12"
    )
    batches = [memory.ingest_batch(items, idempotency_key="builds").results for _ in "12"]

    assert (again.id, again.replayed) == (first.id, True)
    ids = [[entry.record and entry.record.id for entry in results] for results in batches]
    assert ids[0] == ids[1]
    assert len({*ids[0]} - {None}) == 2
