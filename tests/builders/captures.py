"""Captures, with a default for every part."""

from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.language.json_text import Body
from membrane.usecases.capture.capture_memory import capture_memory
from membrane.usecases.machinery.calls import ReplyBody
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call


def capture_request(content: Any, **fields: Any) -> CaptureMemory:
    """The request that captures the content in the scope project:alpha."""
    usual = {"source": "agent", "source_kind": "event", "scope": "project:alpha"}
    return CaptureMemory.model_validate({**usual, "content": content, **fields})


def capture(
    content: Any,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
    **fields: Any,
) -> ReplyBody:
    """The capture of the content."""
    request = capture_request(content, **fields)
    return capture_memory(request, call(request, principal, key=key), services)


def captured(content: Any, services: World, **fields: Any) -> Body:
    """The body of the reply."""
    return capture(content, services, **fields).body
