"""The tool `about`: an entity, its facts and topics, by name or id."""

from typing import Any

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.violations import validate
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.usecases.capture.capture_memory import capture_memory
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import Call
from tests.worlds.tools import SCOPE, Agent


def captured_fact(agent: Agent, subject: str, predicate: str, value: Any, **others: Any) -> None:
    """A fact whose subject becomes an entity."""
    content = {"subject": subject, "predicate": predicate, "object": value}
    about = {"source": "agent", "source_kind": "observation", **others}
    request = CaptureMemory(content=content, **about)
    capture_memory(request, Call(agent.principal, "CaptureMemory", None, b""), agent.services)


def test_facts_of_the_name_are_shown_without_an_entity(agent: Agent) -> None:
    fact = agent.remember_fact("Alice", "likes", "tea")

    answer = agent.call("about", name="Alice")

    assert [each["id"] for each in answer.reply["facts"]] == [fact]
    assert answer.text.split("\n")[2:] == [
        "1 fact known:",
        f'- 2026-03-01, agent: "Alice likes tea" [{fact}]',
        "recall with the name as subject pages through all facts.",
    ]


def test_an_entity_is_found_by_name_in_any_spelling(agent: Agent) -> None:
    captured_fact(agent, "Alice Miller", "likes", "tea")

    answer = agent.call("about", entity="alice  MILLER")

    assert answer.reply["entity"]["name"] == "Alice Miller"
    assert [each["text"] for each in answer.reply["facts"]] == ["Alice Miller likes tea"]
    assert f"membrane://entities/{answer.reply['entity']['id']}" in answer.text


def test_a_fact_has_the_time_and_the_reporter_that_recall_shows(agent: Agent) -> None:
    captured_fact(agent, "Alice", "likes", "tea", source="ci")

    (recalled,) = [
        each
        for each in agent.call("recall", query="Alice likes tea").reply["memories"]
        if each["type"] == "semantic"
    ]
    (known,) = agent.call("about", name="Alice").reply["facts"]

    assert (known["when"], known["who"]) == (recalled["when"], recalled["who"])


def test_an_entity_is_found_by_id_with_the_same_facts_and_topics(agent: Agent) -> None:
    captured_fact(agent, "Alice Miller", "likes", "tea")
    agent.remember_fact("Alice Miller", "lives_in", "Berlin")
    agent.call("memory_create_topic", title="Alice Miller", topic_id="of-alice")
    by_name = agent.call("about", name="Alice Miller").reply

    by_id = agent.call("about", id=by_name["entity"]["id"]).reply

    assert [each["id"] for each in by_name["topics"]] == ["of-alice"]
    assert len(by_name["facts"]) == 2
    assert {**by_id, "name": "Alice Miller"} == by_name


def test_a_topic_is_found_by_id_and_by_what_it_is_about(agent: Agent) -> None:
    agent.call("memory_create_topic", title="Billing", topic_id="topic-1", summary="Invoices")
    agent.call("memory_append_field", topic_id="topic-1", field_name="owner", value="Ana")

    for name in ("topic-1", "billing"):
        (topic,) = agent.call("about", name=name).reply["topics"]
        assert topic["id"] == "topic-1"
        assert topic["fields"] == ['owner: "Ana"']


def test_aliases_and_summary_of_an_entity_are_shown(agent: Agent) -> None:
    record = {
        "type": "entity",
        "sensitivity": "low",
        "payload": {
            "kind": "entity",
            "canonical_name": "Alice Miller",
            "primary_type": "Person",
            "aliases": ["Ali", {"value": "A. Miller", "kind": "short"}],
            "summary": "She runs billing.",
        },
    }
    request = validate(IngestRecord, {"record": record})
    ingest_record(request, Call(agent.principal, "IngestRecord", None, b""), agent.services)

    entity = agent.call("about", name="ali").reply["entity"]

    assert entity["aliases"] == ["Ali", "A. Miller"]
    assert (entity["type"], entity["summary"]) == ("Person", "She runs billing.")


def test_names_that_begin_alike_are_listed_for_a_choice(agent: Agent) -> None:
    captured_fact(agent, "Alice Miller", "likes", "tea")
    captured_fact(agent, "Alice Moore", "likes", "coffee")

    answer = agent.call("about", name="Alice")

    assert "entity" not in answer.reply
    assert [each["name"] for each in answer.reply["alike"]] == ["Alice Miller", "Alice Moore"]


def test_an_unknown_name_leads_on(agent: Agent) -> None:
    answer = agent.call("about", name="Nobody")

    assert answer.reply == {"name": "Nobody", "facts": [], "topics": [], "scopes": [SCOPE]}
    assert "Nothing is known by this name" in answer.text


def test_many_long_facts_stay_within_the_budget(agent: Agent) -> None:
    for number in range(30):
        agent.remember_fact("Alice", f"noted_{number}", "tea and cake, " * 100)

    answer = agent.call("about", name="Alice")

    assert len(answer.reply["facts"]) == 20
    assert tokens_in(answer.text) <= MAX_TEXT_TOKENS
