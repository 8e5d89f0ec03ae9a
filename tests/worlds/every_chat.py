"""Conversations in which the model calls every tool."""

import json
from typing import Any

from tests.worlds.cloud import LARGE, Cloud
from tests.worlds.every_agent import Agents, work_with_tools

FUNCTION = "ChatFunction"


class TalkingAgents(Agents):
    """Agents that call tools through a model, which does what a message says."""

    @property
    def manual(self) -> str:
        """As long as a message can be."""
        return LARGE

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool in a conversation of one message."""
        command = f"/{tool} {json.dumps(arguments)}"
        body = {
            "messages": [{"role": "user", "content": command}],
            "profile": "memstate" if tool.startswith("memory_") else "agent",
            "intent_override": "both",
            "study_ingest": False,
        }
        (entry,) = self.cloud.http("POST /v1/chat", body)["tool_log"]
        assert entry["result"].get("ok") is not False, entry["result"]
        return dict(entry["result"])


def talk_of_everything(cloud: Cloud) -> None:
    """Call each tool in a conversation; a key is asked for behind the function URL alone."""
    work_with_tools(TalkingAgents(cloud, FUNCTION, "speaker"))
    event = {
        "routeKey": "$default",
        "rawPath": "/v1/chat/stream",
        "headers": {"authorization": "Bearer unknown"},
        "requestContext": {"http": {"method": "POST"}},
    }
    assert cloud.invoke(FUNCTION, event)["statusCode"] == 401
