"""Text from outside is shown as it is: no markup, no commands to the terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from membrane_cli.keys import HEADINGS, cells_of
from membrane_cli.output import print_rows, show_line

KEY_ID = "0123456789abcdef"
WORDS = ["[/x]", "[bold]evil[/bold]", "[link=http://evil]a[/link]", ":smile:"]


def shown(keys: list[dict[str, Any]], *, is_terminal: bool = False, width: int = 80) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=is_terminal, width=width, color_system=None)
    print_rows(HEADINGS, map(cells_of, keys), console)
    return file.getvalue()


def a_key(**change: Any) -> dict[str, Any]:
    return {
        "key_id": KEY_ID,
        "actor_id": "my-agent",
        "permissions": ["ingest", "read", "revise"],
        "scopes": ["project:alpha", "project:beta"],
        "user_prefix": "project:alpha:user:",
        "user_required": True,
        "max_sensitivity": "medium",
        "expires_at": "2026-11-22T10:00:00Z",
        "revoked_at": None,
    } | change


@pytest.mark.parametrize("words", WORDS)
def test_an_actor_and_a_scope_are_listed_as_they_are(words: str) -> None:
    listed = shown([a_key(actor_id=words, scopes=[f"s{words}"])])

    assert f"\t{words}\t" in listed
    assert f"s{words}" in listed


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "piped"])
def test_a_keys_id_stays_whole_on_80_columns(is_terminal: bool) -> None:  # noqa: FBT001 - a case
    listed = shown([a_key()], is_terminal=is_terminal)

    assert KEY_ID in listed
    if is_terminal:
        assert max(map(len, listed.splitlines())) <= 80


def test_each_key_has_one_line_where_nobody_reads() -> None:
    listed = shown([a_key(actor_id=f"agent-{number}", scopes=["s" * 90]) for number in range(3)])

    assert [f"agent-{number}" in line for number, line in enumerate(lines_of(listed))] == [True] * 3


def test_lines_outside_a_terminal_have_tabs_and_no_frames() -> None:
    (line,) = shown([a_key(expires_at=None)]).splitlines()

    assert line.split("\t") == [
        KEY_ID, "my-agent", "ingest, read, revise", "project:alpha, project:beta",
        "project:alpha:user:, required", "medium", "-", "-",
    ]  # fmt: skip


def lines_of(listed: str) -> list[str]:
    return [line for line in listed.splitlines() if KEY_ID in line]


@pytest.mark.parametrize("words", [*WORDS, "\x1b[2Jgone", "\x07", "\u202egnirts"])
def test_a_line_has_no_markup_and_no_commands(words: str) -> None:
    file = io.StringIO()

    show_line(Console(file=file, width=20, force_terminal=True), words)

    printed = file.getvalue().removesuffix("\n")
    assert printed == "".join(each if each.isprintable() else " " for each in words)


def test_a_cell_keeps_its_lines() -> None:
    listed = shown([a_key(actor_id="one\ntwo\x1b[0m")], is_terminal=True, width=200)

    first, second = (line for line in listed.splitlines() if "one" in line or "two" in line)
    assert "one" in first
    assert "two [0m" in second
