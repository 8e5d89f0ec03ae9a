"""The tool `about`: an entity, its facts and topics, by name or id."""

from typing import Any

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.usecases.capture.capture_memory import capture_memory
from membrane.usecases.machinery.calls import Call
from tests.worlds.tools import SCOPE, Agent


def captured_fact(agent: Agent, subject: str, predicate: str, value: Any) -> None:
    """A fact whose subject becomes an entity."""
    content = {"subject": subject, "predicate": predicate, "object": value}
    request = CaptureMemory(source="agent", source_kind="observation", content=content)
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


def test_an_entity_is_found_by_id(agent: Agent) -> None:
    captured_fact(agent, "Alice Miller", "likes", "tea")
    entity_id = agent.call("about", name="Alice Miller").reply["entity"]["id"]

    assert agent.call("about", id=entity_id).reply["entity"]["name"] == "Alice Miller"


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
