"""Ctrl-C ends a command with one line, whatever the command was loading or doing."""

import subprocess
import sys

import pytest

INTERRUPTED_AT = """
import signal, sys

# A program that is started in the background inherits that SIGINT is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

event, subject, *arguments = sys.argv[1:]

def interrupt(happened, details):
    if happened == event and subject in ("any", str(details[0])):
        signal.raise_signal(signal.SIGINT)

from membrane_cli.cli import main

sys.addaudithook(interrupt)
sys.exit(main(arguments))
"""
"""A program that gets SIGINT at an event of the interpreter, and so at the same place always."""

FILE = "tests/events/import_lines_bus.ndjson"


@pytest.mark.parametrize(
    ("event", "subject", "arguments"),
    [
        ("import", "membrane_cli.commands", ["demo"]),
        ("import", "uvicorn", ["dev", "--port", "0"]),
        ("open", FILE, ["import", FILE, "--url", "http://127.0.0.1:9"]),
        ("socket.connect", "any", ["import", FILE, "--url", "http://127.0.0.1:9"]),
    ],
    ids=["loading", "dev's start", "reading", "sending"],
)
def test_an_interrupted_command_says_so_in_one_line(
    event: str, subject: str, arguments: list[str]
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT, event, subject, *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (ended.returncode, ended.stderr) == (130, "membrane: interrupted\n")
    opening = "membrane dev: opening a store in memory\n" if "dev" in arguments else ""
    assert ended.stdout == opening
