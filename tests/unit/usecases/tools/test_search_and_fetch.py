"""The tools `search` and `fetch`, for clients that know only the two names."""

from membrane.domain.language.json_text import parse_json
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.requests import Profile
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, NOTICE
from membrane.usecases.tools.table import tools_of
from tests.worlds.tools import Agent, key


def test_a_result_of_search_leads_to_the_memory(agent: Agent) -> None:
    tea = agent.remember("Alice prefers tea")

    found = agent.call("search", query="tea")
    fetched = agent.call("fetch", id=found.reply["results"][0]["id"])

    address = f"membrane://records/{tea}"
    text = "team:a noted Alice prefers tea"
    assert found.reply == {"results": [{"id": tea, "title": text, "url": address}]}
    assert fetched.reply == {
        "id": tea,
        "title": text,
        "text": text,
        "url": address,
        "metadata": {
            "type": "semantic",
            "when": "2026-03-01T09:00:00.25Z",
            "who": "agent",
            "scope": "team:a",
            "notice": NOTICE,
        },
    }


def test_the_text_is_the_structured_content_within_the_budget(agent: Agent) -> None:
    tea = agent.remember('"{tea}" ' * 5_000)

    for answer in (agent.call("search", query="tea"), agent.call("fetch", id=tea)):
        assert parse_json(answer.text) == answer.reply
        assert tokens_in(answer.text) <= MAX_TEXT_TOKENS


def test_the_profile_has_the_two_tools_alone() -> None:
    assert [each.name for each in tools_of(Profile.SEARCH, key())] == ["search", "fetch"]
