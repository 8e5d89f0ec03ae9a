"""Captures from bus, queue and direct calls, delivered more than once: stored once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.entry import answer
from membrane.adapters.aws_lambda.routes.capture import CAPTURE
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.ports.services import Services, SourcePrincipals
from tests.builders.requests import OWNER
from tests.worlds.captures import alive, require_sound_captures
from tests.worlds.revision import held_in, require_whole, revising
from tests.worlds.stores import Store

STATED = {
    "source": "agent",
    "source_kind": "observation",
    "scope": "project:alpha",
    "content": {"subject": "Orchid", "predicate": "likes", "object": "tea", "project": "Lyra"},
}


@dataclass(slots=True)
class Invocation:
    """The context of a function call."""

    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


@pytest.fixture
def world(table: Store) -> Services:
    """Services that take events of every source."""
    sources = SourcePrincipals(bus=OWNER, queue=OWNER, direct=OWNER)
    return replace(revising(table), sources=sources)


def on_bus(detail: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "e-1", "source": "agents", "detail-type": "CaptureMemory", "detail": detail}


def in_queue(*bodies: Mapping[str, Any]) -> dict[str, Any]:
    messages = enumerate(bodies)
    return {
        "Records": [
            {"messageId": f"m-{n}", "body": json.dumps(each), "eventSource": "aws:sqs"}
            for n, each in messages
        ]
    }


@pytest.mark.parametrize("event", [on_bus(STATED), in_queue(STATED), STATED])
def test_a_capture_delivered_again_is_stored_once(
    table: Store, world: Services, event: Mapping[str, Any]
) -> None:
    answer(event, Invocation(), CAPTURE, world)
    before = table.everything()

    answer(event, Invocation(), CAPTURE, world)

    assert table.everything() == before
    found = held_in(table)
    assert sorted(each.type for each in alive(found)) == [
        "entity",
        "entity",
        "episodic",
        "semantic",
    ]


def test_equal_captures_in_a_batch_of_messages_share_entities_and_fact(
    table: Store, world: Services
) -> None:
    event = in_queue(STATED, STATED, STATED)

    for _ in range(2):
        assert answer(event, Invocation(), CAPTURE, world) == {"batchItemFailures": []}

    found = held_in(table)
    require_whole(found, table.everything())
    require_sound_captures(found)
    assert len(found) == 3 + 2 + 1


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb"])
def test_a_lone_surrogate_is_refused_before_anything_is_stored(
    table: Store, world: Services, name: str
) -> None:
    with pytest.raises(InvalidArgument, match="lone surrogate"):
        answer({**STATED, "content": {"project": name}}, Invocation(), CAPTURE, world)

    assert table.everything() == []
