"""An agent and a keeper of topics over an empty memory, on a morning in March."""

import pytest

from tests.worlds.agents import Agent, Keeper, key_of
from tests.worlds.api import Api


@pytest.fixture
def agent(api: Api) -> Agent:
    """With the rights to read, ingest and revise in one scope."""
    api.post("/_dev/clock", {"frozen": True})
    api.post("/_dev/clock", {"set": "2026-03-01T09:00:00.25Z"})
    return Agent(api, key_of(api))


@pytest.fixture
def keeper(agent: Agent) -> Keeper:
    """The same, for topics."""
    return Keeper(agent.api, agent.key)
