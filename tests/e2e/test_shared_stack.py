"""The local stack that the agents of a user share: started by the first, ended after the last."""

import fcntl
import json
import os
import signal
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from membrane_cli.http_client import HttpClient
from membrane_cli.shared_stack import StackFolder
from tests.e2e.bridge import MODERN, Bridge, bridge, request_line

LINGER = ("--linger", "0.5")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StackFolder]:
    """The folder of a user without a stack; after the test, the stack is gone."""
    found = StackFolder(tmp_path / ".local" / "share" / "membrane")
    yield found
    wait_for_the_end_of_the_stack(found)


def wait_for_the_end_of_the_stack(folder: StackFolder) -> None:
    """Wait until no process holds the lock of the stack."""
    with folder.lock("process") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def details(folder: StackFolder) -> Any:
    return json.loads(folder.address.read_bytes())


def api(folder: StackFolder) -> HttpClient:
    address = details(folder)
    return HttpClient(address["url"], address["api_key"])


def remember(folder: StackFolder) -> str:
    event = {"source": "agent", "event_kind": "build", "ref": "evt-1"}
    return str(api(folder).ask("POST", "/v1/ingest/event", event)["record"]["id"])


def status_of(folder: StackFolder, record_id: str) -> int:
    return api(folder).call("GET", f"/v1/records/{record_id}").status


def is_relayed(answer: Any, request_id: int) -> bool:
    """Whether the stack answered the request."""
    return bool(answer["id"] == request_id and answer["result"]["protocolVersion"] == "2025-06-18")


def call(client: Bridge, tool: str, **arguments: Any) -> str:
    """The text of a tool's answer, asked as a client of 2026-07-28."""
    about = {"name": tool, "arguments": arguments, **MODERN}
    answer = client.ask(request_line(tool, "tools/call", **about))
    return str(answer["result"]["content"][0]["text"])


def initialize(client: Bridge, request_id: int) -> Any:
    about = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    line = request_line(request_id, "initialize", protocolVersion="2025-06-18", **about)
    return client.ask(line)


def test_without_configuration_a_stack_starts_for_the_user_alone_and_keeps_its_store_and_key(
    folder: StackFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "uvicorn.py").write_text("open('proof', 'w')")
    monkeypatch.chdir(project)

    with bridge(*LINGER, home=tmp_path) as client:
        answer = initialize(client, 1)
        before, record_id = details(folder), remember(folder)
        modes = [stat.S_IMODE(each.stat().st_mode) for each in (folder.root, folder.address)]
        answers, warnings, code = client.end()
    wait_for_the_end_of_the_stack(folder)
    was_there = folder.address.exists()

    with bridge(*LINGER, home=tmp_path) as client:
        initialize(client, 1)
        after, status = details(folder), status_of(folder, record_id)
        client.process.kill()
    wait_for_the_end_of_the_stack(folder)

    assert is_relayed(answer, 1)
    assert (answers, code, modes) == ([], 0, [0o700, 0o600])
    assert len(before["api_key"]) >= 32
    assert before["api_key"] not in warnings + json.dumps(answer) + folder.log.read_text()
    assert (was_there, status) == (False, 200)
    assert (after["pid"] != before["pid"], after["api_key"]) == (True, before["api_key"])
    assert not folder.address.exists(), "a killed agent leaves no stack behind"
    proofs = [each / "proof" for each in (project, folder.root)]
    assert not any(each.exists() for each in proofs), "modules of a project stay out of the stack"


def test_agents_that_start_at_once_share_the_stack_and_what_they_remember(
    folder: StackFolder, tmp_path: Path
) -> None:
    with bridge(*LINGER, home=tmp_path) as first, bridge(*LINGER, home=tmp_path) as second:
        with ThreadPoolExecutor(2) as both:
            answers = list(both.map(initialize, (first, second), (1, 2)))
        before = details(folder)
        call(first, "remember", text="Alice lives in Lisbon")
        first.end()

        recalled = call(second, "recall", query="Where does Alice live?")

        assert is_relayed(answers[0], 1)
        assert is_relayed(answers[1], 2)
        assert details(folder) == before, "the first agent may leave"
        assert "Alice lives in Lisbon" in recalled


def test_an_agent_whose_stack_was_killed_gets_a_new_stack_with_the_store(
    folder: StackFolder, tmp_path: Path
) -> None:
    with bridge(*LINGER, home=tmp_path) as client:
        initialize(client, 1)
        killed, record_id = details(folder)["pid"], remember(folder)
        os.kill(killed, signal.SIGKILL)
        wait_for_the_end_of_the_stack(folder)

        answer = initialize(client, 2)

        assert is_relayed(answer, 2)
        assert details(folder)["pid"] != killed
        assert status_of(folder, record_id) == 200


@pytest.mark.usefixtures("folder")
def test_an_agent_that_is_killed_while_it_starts_the_stack_does_not_hold_up_the_next(
    tmp_path: Path,
) -> None:
    with bridge(*LINGER, home=tmp_path) as first:
        first.ask(b"{")  # the bridge runs, and the stack is starting
        first.process.kill()

    with bridge(*LINGER, home=tmp_path) as second:
        assert is_relayed(initialize(second, 1), 1)


def test_a_stack_that_cannot_start_is_told_to_each_request_by_its_own_reason(
    folder: StackFolder, tmp_path: Path
) -> None:
    folder.store.mkdir(parents=True)

    with bridge(*LINGER, home=tmp_path) as client:
        first, second = initialize(client, 1), initialize(client, 2)

    for each in (first, second):
        assert "the local stack did not start: --store: " in each["error"]["message"]
        assert str(folder.store) in each["error"]["message"]


def test_a_data_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with bridge(home=tmp_path, XDG_DATA_HOME=str(file)) as client:
        _, warnings, code = client.end()

    assert code == 1
    assert str(file) in warnings
    assert warnings.count("\n") == 1


def test_agents_that_come_while_the_stack_ends_wait_for_the_next(
    folder: StackFolder, tmp_path: Path
) -> None:
    for request_id in range(2):
        with bridge("--linger", "0.01", home=tmp_path) as client:
            answer = initialize(client, request_id)
            answers, warnings, code = client.end()

        assert is_relayed(answer, request_id)
        assert (answers, warnings, code) == ([], "", 0)
        with folder.lock("members") as members:
            fcntl.flock(members, fcntl.LOCK_SH)  # the stack may hold the lock, and be about to end
