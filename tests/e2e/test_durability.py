"""`membrane dev --store FILE`: nothing that was acknowledged is lost, however it ends."""

import random
import stat
import threading
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError

import psutil
import pytest

from membrane.wiring.clients import dynamodb_client
from membrane_cli.cli import main
from membrane_local.storage.stores import TABLE
from membrane_local.template import read_template
from tests.e2e.stack import Stack, dev
from tests.worlds.depth import cases
from tests.worlds.dynoxide_server import run_server
from tests.worlds.stores import STRUCTURE, TEMPLATE

LARGE = "".join(random.Random(7).choices("0123456789abcdefghijklmnopqrstuvwxyz", k=120_000))


BROKEN_OFF = (HTTPException, URLError, ConnectionError, TimeoutError)
"""How a client sees that the stack was killed."""


class NotAcknowledgedError(Exception):
    """The stack answered, but not that it kept the report."""


def report(stack: Stack, index: int) -> str:
    """Every tenth report has a document that lies outside the table."""
    result = LARGE if index % 10 == 0 else index
    body = {"source": "agent", "tool_name": "cat", "result": result}
    status, reply = stack.call("POST", "/v1/ingest/tool-output", body)
    if status != 201:
        raise NotAcknowledgedError(status)
    return str(reply["record"]["id"])


def kill_amid_reports(
    stack: Stack, acknowledged: list[str], enough: int, kill: Callable[[], None]
) -> None:
    """Eight clients report until the stack is killed, after so many acknowledgements."""
    reached = threading.Event()

    def client(first: int) -> None:
        index = first
        while True:
            try:
                acknowledged.append(report(stack, index))
            except (*BROKEN_OFF, NotAcknowledgedError):
                return
            if len(acknowledged) >= enough:
                reached.set()
            index += 1

    clients = [threading.Thread(target=client, args=(index,)) for index in range(8)]
    for each in clients:
        each.start()
    assert reached.wait(60)
    kill()
    for each in clients:
        each.join(60)


def test_a_killed_stack_loses_no_acknowledged_record(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "memory.db"), "--api-key", "k" * 43)
    acknowledged: list[str] = []

    kills = cases((40, 110, 190), (40, 110))
    for enough in kills:
        with dev(*store) as stack:
            kill_amid_reports(stack, acknowledged, enough, stack.kill)

    with dev(*store) as stack:
        statuses = {stack.call("GET", f"/v1/records/{record_id}")[0] for record_id in acknowledged}
    assert statuses == {200}
    assert len(acknowledged) >= kills[-1]


def test_no_file_of_a_store_is_open_to_others(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    with dev("--store", str(folder / "memory.db")) as stack:
        report(stack, 0)
        assert psutil.Process(stack.process.pid).children() == []
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}

    del modes["memory.db.lock"]  # empty
    assert set(modes.values()) == {0o600, 0o700}


def test_a_restart_keeps_records_large_documents_audit_and_keys(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "memory.db"))
    with dev(*store) as stack:
        record_id = report(stack, 0)
        before = stack.call("GET", f"/v1/records/{record_id}/audit?verify=true")

    with dev(*store) as again:
        after = again.call("GET", f"/v1/records/{record_id}/audit?verify=true")
        _, read = again.call("GET", f"/v1/records/{record_id}")
        _, listed = again.call("GET", "/_dev/keys")

    (key_file,) = tmp_path.glob("*.blobs/api-key")
    assert after == before
    assert read["record"]["payload"]["tool_graph"][0]["result"] == LARGE
    assert again.secret == stack.secret
    assert len(stack.secret) >= 43
    assert len(listed["keys"]) == 1
    assert key_file.stat().st_mode & 0o077 == 0


def test_two_stacks_do_not_share_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link.db").symlink_to("memory.db")

    with dev("--store", str(tmp_path / "memory.db")):
        codes = [
            main(["dev", "--port", "0", "--store", str(tmp_path / name)])
            for name in ("memory.db", "link.db")
        ]

    assert codes == [1, 1]
    assert capsys.readouterr().err.count("in use by another local stack") == 2


def test_reset_empties_a_file_but_no_table_of_somebody_else(tmp_path: Path) -> None:

    with run_server(None) as endpoint:
        client: Any = dynamodb_client(endpoint)
        structure = read_template(TEMPLATE).table
        client.create_table(
            TableName=TABLE, **{part: structure[part] for part in STRUCTURE if part in structure}
        )
        with dev("--store", endpoint, "--blobs", str(tmp_path)) as stack:
            status, body = stack.call("POST", "/_dev/reset")

    assert status == 400
    assert "not created by the local stack" in body["detail"]
