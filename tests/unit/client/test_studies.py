"""Studies through the client: the start, the upload of a long document, and the states."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from membrane_client import InvalidCall, Study
from membrane_client.core.protocol import Pause, Reply, Request
from tests.builders.filled_stores import an_api, played, sent_by, served, served_async
from tests.builders.studies import a_study

OPENED = Reply(
    201, {}, b'{"upload_id": "u1", "url": "http://bucket/u1", "method": "PUT", "headers": {}}'
)
PUT = Reply(200, {}, b"")
STATES = [
    a_study(stage="preparing"),
    a_study(stage="preparing"),
    a_study(done=1, total=2),
    a_study("done", done=2, total=2),
]


def replied(study: dict[str, Any], status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(study).encode())


def test_a_document_is_sent_with_its_identity_and_the_scope_of_the_client() -> None:
    steps = an_api(scope="team").start_study(
        "# Tea", "Tea", source="manuals/tea.md", with_model=False
    )

    request, body = sent_by(steps)

    assert (request.method, request.url) == ("POST", "http://memory/v1/studies")
    assert request.headers["idempotency-key"]
    assert body == {
        "document": "# Tea",
        "title": "Tea",
        "source": "manuals/tea.md",
        "with_model": False,
        "scope": "team",
    }


def test_a_long_document_is_uploaded_and_claimed_in_its_place() -> None:
    document = "Tea. " * 1_000_000

    steps, study = played(
        an_api().start_study(document, "Tea", scope="team"),
        OPENED, PUT, replied(a_study(), 202),
    )  # fmt: skip

    opened, put, started = (
        json.loads(each.content or b"") for each in steps if isinstance(each, Request)
    )
    assert opened["scope"] == "team"
    assert put == document
    assert started == {"document": {"$upload": "u1"}, "title": "Tea", "scope": "team"}
    assert study.id == "job1"


def test_a_removal_counts_unless_the_caller_says_otherwise() -> None:
    assert sent_by(an_api(scope="s").remove_document("doc1"))[1] == {
        "document_id": "doc1",
        "dry_run": True,
    }

    _, body = sent_by(an_api().remove_document("doc1", dry_run=False))
    assert body["dry_run"] is False


def test_the_next_state_is_the_next_that_differs_and_none_comes_after_the_end() -> None:
    series = an_api().study_steps("job1", every_s=3.0, user="ada")

    first, began = played(series.next(None), replied(STATES[0]))
    then, changed = played(series.next(began), replied(STATES[1]), replied(STATES[2]))
    last, ended = played(series.next(Study(STATES[3])))

    assert [type(each) for each in first] == [Request]
    assert [each.seconds for each in then if isinstance(each, Pause)] == [3.0, 3.0]
    assert {each.url for each in [*first, *then] if isinstance(each, Request)} == {
        "http://memory/v1/studies/job1?user=ada"
    }
    assert changed is not None
    assert changed.progress.paragraphs.done == 1
    assert (last, ended) == ([], None)


def test_both_forms_follow_a_job_to_its_end() -> None:
    def answering() -> Any:
        replies = iter(STATES)
        return lambda _: httpx2.Response(200, json=next(replies))

    async def followed() -> list[str]:
        client = served_async(answering())
        return [each.stage async for each in client.study_steps("job1", every_s=0.001)]

    stages = [each.stage for each in served(answering()).study_steps("job1", every_s=0.001)]

    assert stages == ["preparing", "studying", "done"]
    assert asyncio.run(followed()) == stages


@pytest.mark.parametrize("every_s", [0.0, -1.0, float("nan")])
def test_a_pause_of_no_time_is_refused_before_the_first_request(every_s: float) -> None:
    client = served(lambda _: httpx2.Response(500))

    with pytest.raises(InvalidCall, match="every_s"):
        client.study_steps("job1", every_s=every_s)
