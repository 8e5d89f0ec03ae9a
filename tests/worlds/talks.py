"""Conversations over HTTP with a model behind an endpoint that answers in order."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from membrane_local.http_messages import Request, Response
from tests.integration.conftest import NO_SCHEDULES, emptied
from tests.worlds.api import Api, Reply, api_with
from tests.worlds.chat_endpoint import Answer, ChatEndpoint, chat_endpoint, in_turn, says, sends

TOKENS = 100
"""Of every answer."""
Frame = dict[str, Any]

BUSY, SILENT, REFUSED = (
    sends(b"{}", 429, [("Retry-After", "600")]),
    sends(b"{}", 500),
    sends(b"", 400),
)
"""Failures: the model is busy for long, does not answer, or does not take the question."""


def word(text: str) -> Answer:
    """An answer without calls."""
    return says(text, {"total_tokens": TOKENS})


def calls(*asked: tuple[str, Any], text: str | None = None) -> Answer:
    """An answer that calls tools, each with its arguments; arguments may be a text of their own."""
    made = [
        {
            "id": f"call_{at}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for at, (name, given) in enumerate(asked)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": made}
    body = {"choices": [{"message": message}], "usage": {"total_tokens": TOKENS}}
    return sends(json.dumps(body).encode())


@dataclass(frozen=True, slots=True)
class Talk:
    """A caller who talks to the model."""

    api: Api
    endpoint: ChatEndpoint

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The questions that the model got in the last conversation."""
        return [body for _, _, body in self.endpoint.requests]

    def offered(self, number: int) -> list[str]:
        """The names of the tools of a question."""
        return [each["function"]["name"] for each in self.asked[number].get("tools", [])]

    def say(self, text: str, *steps: Answer, key: str | None = None, **others: Any) -> Reply:
        """The reply to a message of the user, while the model answers in these steps."""
        self._begin(steps)
        return self.api.post("/v1/chat", body_of(text, others), key=key)

    def hear(self, text: str, *steps: Answer, **others: Any) -> list[Frame]:
        """The frames of the stream of a conversation."""
        reply = self.stream(text, *steps, **others)
        assert reply.status == 200, reply.body
        assert reply.headers["content-type"].startswith("text/event-stream")
        return frames_in(reply.body)

    def stream(self, text: str, *steps: Answer, key: str | None = None, **others: Any) -> Response:
        """The response of the route that streams, whole."""
        self._begin(steps)
        headers = {"host": "127.0.0.1", "authorization": f"Bearer {key or self.api.secret}"}
        content = json.dumps(body_of(text, others)).encode()
        request = Request("POST", "/v1/chat/stream", "", headers, content)
        return self.api.application.answer(request)

    def _begin(self, steps: tuple[Answer, ...]) -> None:
        self.endpoint.requests.clear()
        self.endpoint.answer = in_turn(steps)

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool that the owner calls by himself or herself."""
        reply = self.api.post(f"/v1/tools/{name}", {"arguments": arguments})
        assert reply.status == 200, reply.body
        return dict(reply.body["result"])


def body_of(text: str, others: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], **others}


def frames_in(body: bytes) -> list[Frame]:
    """The frames of a whole stream."""
    text = body.decode()
    assert text.endswith("\n\n")
    return [json.loads(each.removeprefix("data: ")) for each in text.split("\n\n")[:-1]]


@contextmanager
def talking(**parameters: str) -> Iterator[Talk]:
    """A stack whose model is the endpoint."""
    with chat_endpoint() as endpoint:
        model = {"ChatModel": "llama", "ChatUrl": endpoint.url}
        with api_with({**NO_SCHEDULES, **model, **parameters}) as api:
            yield Talk(api, endpoint)


def begin_anew(talk: Talk) -> None:
    """Empty the store, and give the stack the machine's time."""
    emptied(talk.api)
