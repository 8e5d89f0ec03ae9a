"""Makes the acts: of a request under an idempotency key, and of a job."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tests.faults.harness import Act
from tests.faults.world import Stage
from tests.worlds.cloud import key_of

ALONE = "each item of a batch is written alone, and has a reply of its own"
TIMES = {
    r"(GET /v1/records  |POST /v1/retrieve ).*": "lists are in the order of salience",
    r"\d{4}-\d\d-\d\dT[\d:.]+Z": "a repeat waits until the first run is given up",
}
FADED = {r'\\"(salience|base)\\": ?[\d.]+': "what a late run writes has faded a little"}

Part = Any | Callable[[Any], Any]
"""A part of a request, or what makes the part of what `prepare` gave."""


def nothing(_: Stage) -> None:
    """No state at all."""


def same(given: Any) -> Any:
    """What `prepare` gave."""
    return given


def asks(
    route: str,
    body: Part = None,
    record_id: Part = "",
    *,
    about: str = "",
    prepare: Callable[[Stage], Any] = nothing,
    name: str = "",
    query: Part = "",
    scopes: Sequence[str] = ("*",),
    **more: Any,
) -> Act:
    """The act of a request under an idempotency key."""
    is_change = not route.startswith("GET")

    def do(stage: Stage, given: Any, *, is_keyed: bool = True) -> Any:
        sent, of, asked = (
            each(given) if callable(each) else each for each in (body, record_id, query)
        )
        key = key_of([route, sent, of, asked]) if is_keyed and is_change else ""
        return stage.cloud.ask(route, sent, of, name=name, query=asked, key=key, scopes=scopes)

    bare = partial(do, is_keyed=False) if is_change else None
    return Act(f"{route} {about}".rstrip(), prepare, do, bare, **more)


def works(
    function: str,
    event: Part,
    *,
    about: str = "",
    prepare: Callable[[Stage], Any] = nothing,
    **more: Any,
) -> Act:
    """The act of a job, which goes on until nothing is left."""

    def do(stage: Stage, given: Any) -> Any:
        reply = invoke(stage, function, event(given) if callable(event) else event)
        while handed_over := [each for each in stage.cloud.started if each[0].endswith(function)]:
            stage.cloud.started.remove(handed_over[0])
            reply = invoke(stage, function, handed_over[0][1])
        return reply

    counts = {"answers": "a repeat counts what was left to do"}
    return Act(f"{function} {about}".rstrip(), prepare, do, **{**counts, **more})


def invoke(stage: Stage, function: str, event: Any) -> Any:
    """The reply of the last of the runs that a job takes."""
    while True:
        reply = stage.cloud.invoke(function, event)
        if not isinstance(reply, dict) or reply.get("state") != "running":
            return reply


def messages(*bodies: Any) -> dict[str, Any]:
    """The event of messages in a queue."""
    common = {"eventSource": "aws:sqs", "receiptHandle": "1"}
    counted = {"attributes": {"ApproximateReceiveCount": "1"}}
    return {
        "Records": [
            {"messageId": f"{number}", "body": json.dumps(body), **common, **counted}
            for number, body in enumerate(bodies)
        ]
    }
