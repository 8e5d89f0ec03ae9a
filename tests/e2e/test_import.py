"""`membrane import FILE`: shows how it goes, ends as it went, and can be interrupted anywhere."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from membrane_local.memory.database import Database
from membrane_local.memory.files import open_file
from membrane_local.storage.clients import client_of
from membrane_local.storage.stores import TABLE
from membrane_local.storage.table import items_with
from tests.e2e.stack import MEMBRANE, Stack, dev
from tests.worlds.depth import cases

STORE_KEY = ("--api-key", "k" * 43)


def event(number: int) -> dict[str, Any]:
    """A report of a build."""
    fields = {"source": "ci", "event_kind": "build", "ref": f"build:{number}"}
    return {"rpc": "IngestEvent", **fields}


def written(path: Path, *lines: Any) -> Path:
    """A file of objects, and of texts as they are."""
    printed = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{line}\n" for line in printed))
    return path


def importing(stack: Stack, file: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """The command, run to its end."""
    return subprocess.run(
        [MEMBRANE, "import", str(file), "--url", stack.url, "--api-key", stack.secret, *options],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_is_imported_and_counted(stack: Stack, tmp_path: Path) -> None:
    file = written(tmp_path / "all.ndjson", *map(event, range(300)))

    done = importing(stack, file)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "300 lines: 300 created, 0 replayed, 0 refused"


def test_on_a_terminal_it_shows_a_bar(stack: Stack, tmp_path: Path) -> None:
    file = written(tmp_path / "all.ndjson", *map(event, range(50)))
    master, terminal = os.openpty()
    command = [MEMBRANE, "import", str(file), "--url", stack.url, "--api-key", stack.secret]

    with subprocess.Popen(command, stdout=terminal, env={**os.environ, "TERM": "xterm"}) as running:
        os.close(terminal)
        shown = b"".join(iter(lambda: _read(master), b""))
    os.close(master)

    assert running.returncode == 0
    assert b"importing" in shown
    assert b"100%" in shown


def _read(master: int) -> bytes:
    """What the terminal shows next; nothing once it is closed."""
    try:
        return os.read(master, 65_536)
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--url", "http://127.0.0.1:9"), "nobody answers"),
        (("--bucket", "memory", "--api-key", "k"), "--api-key goes with --url"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    file = written(tmp_path / "all.ndjson", event(1))

    done = subprocess.run(
        [MEMBRANE, "import", str(file), *options], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_larger_than_any_request_is_taken(stack: Stack, tmp_path: Path) -> None:
    blank = " " * 1_000_000
    file = written(tmp_path / "large.ndjson", event(1), *[blank] * 20, event(2), "x" * 8_000_000)

    done = importing(stack, file)

    assert "23 lines: 2 created, 0 replayed, 1 refused" in done.stdout.splitlines()
    assert "line 23: INVALID_ARGUMENT: the line is longer than 6291456 bytes" in done.stdout


def test_an_import_that_was_killed_is_finished_exactly_once(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "memory.db"), *STORE_KEY)
    judged = {"source": "judge", "outcome_status": "success", "target_record_id": "e-1"}
    happened = {"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}
    record = {
        "id": "e-1",
        "type": "episodic",
        "sensitivity": "low",
        "payload": {"kind": "episodic", "timeline": [happened]},
    }
    outcomes = [{"rpc": "IngestOutcome", **judged} for _ in range(3)]
    events = cases(1_500, 500)
    lines = [{"rpc": "IngestRecord", "record": record}, *map(event, range(events)), *outcomes]
    file = written(tmp_path / "all.ndjson", *lines)

    for _ in range(cases(2, 1)):
        with dev(*store) as stack:
            kill_amid_import(stack, file)
    with dev(*store) as stack:
        done = importing(stack, file)
        created = done.stdout.splitlines()[-1]
        _, read = stack.call("GET", "/v1/records/e-1/audit?verify=true")

    assert done.returncode == 0, done
    assert created.startswith(f"{events + 4} lines: ")
    assert "0 refused" in created
    assert len(read["audit_log"]) == 1 + len(outcomes)
    assert read["verified"] is True
    assert records_in(tmp_path / "memory.db") == events + 1


def kill_amid_import(stack: Stack, file: Path) -> None:
    """Kill the stack once the command has shown that some lines are done."""
    command = [MEMBRANE, "import", str(file), "--url", stack.url, "--api-key", stack.secret]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert "%" in running.stdout.readline()
        stack.kill()
        assert "Traceback" not in running.communicate()[1]


def records_in(path: Path) -> int:
    """How many records a store's file holds."""
    with open_file(path) as file:
        return sum(1 for _ in items_with(client_of(Database.of_file(file)), TABLE, "rank_pk"))


def test_an_export_is_written_by_the_command_and_restored_by_the_import(
    stack: Stack, tmp_path: Path
) -> None:
    reports = written(tmp_path / "all.ndjson", *map(event, range(20)))
    assert importing(stack, reports).returncode == 0
    file = tmp_path / "memory.ndjson"

    exported = subprocess.run(
        [MEMBRANE, "export", str(file), "--url", stack.url, "--api-key", stack.secret],
        capture_output=True,
        text=True,
        check=False,
    )
    imported = importing(stack, file)

    assert (exported.returncode, exported.stderr) == (0, "")
    assert "20 record" in exported.stdout
    assert imported.stdout.splitlines()[-1] == "22 lines: 0 created, 20 replayed, 0 refused"
