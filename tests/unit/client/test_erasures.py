"""Erasures through the client: the start, the wait, the pages and the check of a certificate."""

import asyncio
import hashlib
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from membrane_client import (
    Erasure,
    InvalidCall,
    InvalidCertificate,
    StillRunning,
    check_certificate,
    signed_bytes,
)
from membrane_client.core.protocol import Pause, Reply, Request
from tests.builders.filled_stores import an_api, played, sent_by, served_async

STATE: dict[str, Any] = {
    "id": "e1",
    "state": "listing",
    "dry_run": True,
    "reason": "",
    "requested_by": "me",
    "started_at": "2026-01-02T03:04:05Z",
    "done_at": None,
    "found": [],
    "removed": [],
    "unreadable": 0,
}
STARTED = Reply(202, {}, json.dumps(STATE).encode())
ENTRIES = [
    {"kind": "record", "id": f"r{number}", "ground": "is_of", "action": "erase"}
    for number in range(3)
]


def canonical_json(value: Any) -> bytes:
    """As docs/forget.md says: sorted keys, no spaces, UTF-8."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def looked_at(state: str, *ids: str, cursor: str | None = None) -> Reply:
    """A page of an erasure."""
    findings = [
        {"kind": "record", "id": each, "ground": "is_of", "action": "erase"} for each in ids
    ]
    page = STATE | {"state": state, "findings": findings, "next_cursor": cursor}
    return Reply(200, {}, json.dumps(page).encode())


def a_certificate(entries: list[dict[str, str]] = ENTRIES) -> dict[str, Any]:
    """A certificate over ENTRIES, with the given entries."""
    lines = b"".join(canonical_json(entry) + b"\n" for entry in ENTRIES)
    digest = hashlib.sha256(lines).hexdigest()
    return {
        "certificate": {
            "reason": "Straße",
            "erasure": "e1",
            "entries": len(ENTRIES),
            "entries_sha256": digest,
        },
        "signature": {"key_id": "k", "algorithm": "ECDSA_SHA_256", "value": "AA=="},
        "entries": entries,
    }


def urls(steps: list[Request | Pause]) -> list[str]:
    return [each.url for each in steps if isinstance(each, Request)]


def test_a_forgotten_target_is_listed_to_the_end_of_the_last_page() -> None:
    steps, ended = played(
        an_api().forget(scope="s"),
        STARTED,
        looked_at("listing"),
        looked_at("listed", "r1", cursor="1"),
        looked_at("listed", "r2"),
    )

    assert ended is not None
    assert (ended.state, ended.has_ended) == ("listed", True)
    assert [each.id for each in ended.findings] == ["r1", "r2"]
    assert [urlsplit(url).path for url in urls(steps)] == [
        "/v1/erasures", "/v1/erasures/e1", "/v1/erasures/e1", "/v1/erasures/e1",
    ]  # fmt: skip
    assert [each.seconds for each in steps if isinstance(each, Pause)] == [0.25]


def test_the_asynchronous_client_awaits_the_end() -> None:
    def answering(request: httpx2.Request) -> httpx2.Response:
        reply = STARTED if request.method == "POST" else looked_at("done", "r1")
        return httpx2.Response(reply.status, content=reply.body)

    async def ended() -> Erasure:
        return await served_async(answering).forget(scope="s", dry_run=False)

    assert [each.id for each in asyncio.run(ended()).findings] == ["r1"]


def test_a_target_is_listed_alone_unless_the_caller_says_otherwise() -> None:
    assert sent_by(an_api().forget(scope="s"))[1] == {"scope": "s", "dry_run": True}

    asked: dict[str, Any] = {"subject": "Eve", "dry_run": False, "reason": "request 7"}
    _, sent = sent_by(an_api().forget(**asked))
    assert sent == asked


def test_an_erasure_under_a_user_is_read_under_the_user() -> None:
    steps, _ = played(
        an_api(scope="s").forget(user="eve"),
        STARTED,
        looked_at("listed", cursor="1"),
        looked_at("listed"),
    )

    first, *reads = steps
    assert isinstance(first, Request)
    assert json.loads(first.content or b"") == {"user": "eve", "dry_run": True}
    assert [parse_qs(urlsplit(url).query)["user"] for url in urls(list(reads))] == [["eve"]] * 2


def test_ids_stand_without_the_scope_of_the_client() -> None:
    _, sent = sent_by(an_api(scope="s").forget(ids=["r1"]))

    assert sent == {"ids": ["r1"], "dry_run": True}


def test_the_wait_ends_when_the_pauses_add_up() -> None:
    seen: list[str] = []
    going_on = [looked_at("removing") for _ in range(9)]

    with pytest.raises(StillRunning, match="e1") as ended:
        played(
            an_api().forget(
                scope="s",
                dry_run=False,
                wait_seconds=3.0,
                on_progress=lambda state: seen.append(state.state),
            ),
            STARTED,
            *going_on,
        )

    assert ended.value.erasure_id == "e1"
    assert seen == ["removing"] * 5, "after 0, 0.25, 0.75, 1.75 and 3 seconds"


def test_an_erasure_is_read_as_it_is_without_a_wait() -> None:
    steps, found = played(an_api().erasure("e1"), looked_at("removing"))

    assert found.state == "removing"
    assert len(steps) == 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"record_id": "r1"},
        {"record_id": "r1", "why": "asked to", "scope": "s"},
        {"record_id": "r1", "why": "asked to", "dry_run": False},
        {"record_id": None, "why": "asked to", "user": "eve"},
        {"user": "eve", "erase": True},
    ],
    ids=str,
)
def test_a_record_and_a_target_are_not_forgotten_by_one_call(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="record_id"):
        played(an_api(user="alice").forget(**given))


@pytest.mark.parametrize("target", [{"scope": ""}, {"subject": " "}, {"ids": []}], ids=str)
def test_an_empty_part_of_a_target_is_refused_for_it_would_widen_the_target(
    target: dict[str, Any],
) -> None:
    with pytest.raises(InvalidCall, match="is empty"):
        played(an_api().forget(user="eve", **target))


def test_a_certificate_has_the_entries_of_all_pages() -> None:
    pages = [a_certificate(ENTRIES[:2]) | {"next_cursor": "1"}, a_certificate(ENTRIES[2:])]

    _, whole = played(
        an_api().certificate("e1"),
        *(Reply(200, {}, json.dumps(page).encode()) for page in pages),
    )

    assert [each.id for each in whole.entries] == ["r0", "r1", "r2"]
    assert whole.next_cursor is None


def test_a_certificate_that_lost_an_entry_on_the_way_is_refused() -> None:
    page = json.dumps(a_certificate(ENTRIES[:2])).encode()

    with pytest.raises(InvalidCertificate, match="2 entries of 3"):
        played(an_api().certificate("e1"), Reply(200, {}, page))


def test_a_saved_certificate_is_checked_by_the_hash_of_the_entries() -> None:
    check_certificate(a_certificate())

    changed = [ENTRIES[0] | {"id": "other"}, *ENTRIES[1:]]
    with pytest.raises(InvalidCertificate, match="differ"):
        check_certificate(a_certificate(changed))
    with pytest.raises(InvalidCertificate, match="differ"):
        check_certificate(a_certificate(ENTRIES[::-1]))


@pytest.mark.parametrize("saved", [{}, {"entries": []}, {"certificate": None}, []])
def test_a_file_that_is_no_certificate_is_refused(saved: Any) -> None:
    with pytest.raises(InvalidCertificate, match="missing or malformed"):
        check_certificate(saved)


def test_a_file_without_a_certificate_has_no_signed_bytes() -> None:
    with pytest.raises(InvalidCertificate, match="missing or malformed"):
        signed_bytes({"entries": []})


def test_the_signed_bytes_are_the_canonical_json_of_the_service() -> None:
    saved = a_certificate()

    assert signed_bytes(saved) == canonical_json(saved["certificate"])
