"""The client against a running service: what it keeps, finds, corrects and forgets."""

import pytest

from membrane_client import BadRequest, Membrane, NotFound
from membrane_client.values.payloads import EpisodicPayload, SemanticPayload


def test_what_was_just_remembered_is_retrieved_every_time(memory: Membrane) -> None:
    for number in range(25):
        told = memory.remember(f"service-{number}", "listens_on", 8000 + number)

        found = memory.retrieve(f"Where does service-{number} listen?", limit=1)

        assert [each.id for each in found] == [told.id]


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


def test_texts_stand_beside_each_other_as_notes_of_the_user_or_the_scope(
    memory: Membrane,
) -> None:
    payloads = [memory.remember(text, scope="crew").payload for text in ("likes tea", "likes cake")]

    facts = [each for each in payloads if isinstance(each, SemanticPayload)]
    assert [(each.subject, each.predicate) for each in facts] == [("crew", "noted")] * 2
    assert len(list(memory.get_all(scope="crew"))) == 2


def test_how_an_episode_ended_is_said_afterwards(memory: Membrane) -> None:
    called = memory.ingest_tool_output("deploy", args={"to": "prod"}, result=None)

    memory.outcome(called.id, "failure")

    payload = memory.retrieve_by_id(called.id).payload
    assert isinstance(payload, EpisodicPayload)
    assert payload.outcome == "failure"
    assert payload.tool_graph[0].args == {"to": "prod"}


def test_a_repeated_write_says_so(memory: Membrane) -> None:
    first = memory.ingest_event("build", "15", idempotency_key="build-15")
    again = memory.ingest_event("build", "15", idempotency_key="build-15")

    assert (first.id, first.replayed) == (again.id, False)
    assert again.replayed


def test_a_refusal_names_the_field(memory: Membrane) -> None:
    with pytest.raises(BadRequest, match="event_kind") as refused:
        memory.ingest_event("", "15")

    assert refused.value.errors[0]["field"] == "event_kind"


def test_pages_follow_each_other(memory: Membrane) -> None:
    for number in range(7):
        memory.ingest_event("build", str(number))

    pages = list(memory.list_records(limit=3).pages())

    assert [len(page.records) for page in pages] == [3, 3, 1]
    assert len({each.id for each in memory.list_records(limit=2)}) == 7


def test_a_value_that_no_request_carries_is_uploaded_and_comes_back_whole(
    memory: Membrane,
) -> None:
    log = "line\n" * 1_500_000

    told = memory.ingest_tool_output("build", result=log)

    for record in (told, memory.retrieve_by_id(told.id), memory.retrieve(limit=1)[0]):
        assert isinstance(record.payload, EpisodicPayload)
        assert record.payload.tool_graph[0].result == log


def test_a_client_with_a_scope_writes_there_and_sees_that_scope_and_what_has_none(
    memory: Membrane,
) -> None:
    shared = memory.remember("coffee", "costs", 2)
    memory.with_options(scope="a").remember("tea", "costs", 1)
    inside = memory.with_options(scope="b")

    own = inside.remember("cake", "costs", 3)

    assert own.scope == "b"
    assert {each.id for each in inside.retrieve()} == {own.id, shared.id}
