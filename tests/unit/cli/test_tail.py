"""What comes in is shown once, across an outage too."""

from itertools import count, islice

import httpx2
import pytest

from membrane_cli.memories.recall import new_memories
from membrane_client import ServerError
from tests.builders.filled_stores import RECORD, served

DAY_S = 86_400.0


def page(*ids: str) -> httpx2.Response:
    when = RECORD["created_at"]
    return httpx2.Response(200, json={"records": [{"id": each, "when": when} for each in ids]})


def test_an_outage_is_noted_once_and_what_came_meanwhile_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = httpx2.Response(503, json={"code": "UNAVAILABLE", "detail": "no store"})
    answers = iter([page("r1"), out, out, page("r1", "r2")])
    asked: list[bytes] = []

    def answering(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.content)
        return next(answers)

    clock = count(DAY_S, 3_600.0)
    with served(answering, max_retries=0) as client:
        shown = list(
            islice(new_memories(client, None, lambda: next(clock), 1.0, lambda _: None), 2)
        )

    assert [each.id for each in shown] == ["r1", "r2"]
    noted = "membrane tail: 503 UNAVAILABLE: no store; retrying\n"
    assert capsys.readouterr().err == noted
    assert asked[1] == asked[2] == asked[3]


def test_a_service_that_never_answered_ends_the_command() -> None:
    def answering(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(503, json={})

    with served(answering, max_retries=0) as client, pytest.raises(ServerError):
        next(new_memories(client, None, lambda: DAY_S, 1.0, lambda _: None))
