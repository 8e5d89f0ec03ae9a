"""`membrane keys create`: what it asks for, and what it says of the key."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from membrane_cli import keys as command
from membrane_cli.cli import main
from membrane_local.table_keys import TableKeys
from tests.fakes.clock import FakeKeys

FOR_EVERYBODY = "the key's writes without a scope or a user are visible to everybody\n"


USERS = ("--user-prefix", "u:")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> TableKeys:
    """Where the command makes its keys, whatever it is told."""
    made = TableKeys(FakeKeys(), lambda: datetime(2026, 11, 21, tzinfo=UTC))
    monkeypatch.setattr(command, "_keys", lambda _: made)
    return made


def create(place: TableKeys, *options: str) -> dict[str, Any]:
    """The key that the command makes."""
    arguments = ["keys", "create", "--url", "http://unused", "--actor", "a", *options]
    assert main(arguments) == 0
    return place.list_keys()[-1]


@pytest.mark.parametrize(
    ("users", "prefix", "required"),
    [
        ((), "", False),
        (("--user-optional",), "", False),
        (("--user-prefix", "t:user:"), "t:user:", True),
        (("--user-prefix", "t:user:", "--user-required"), "t:user:", True),
        (("--user-prefix", "t:user:", "--user-optional"), "t:user:", False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_key_of_users_requires_a_user_unless_users_are_optional(
    place: TableKeys,
    capsys: pytest.CaptureFixture[str],
    users: tuple[str, ...],
    prefix: str,
    required: bool,  # noqa: FBT001 - a case
) -> None:
    made = create(place, "--permission", "ingest", "--scope", "t:*", *users)

    assert (made["scopes"], made["user_prefix"]) == (["t:*"], prefix)
    assert made["user_required"] is required
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--permission", "ingest", "--scope", "*"), FOR_EVERYBODY),
        (("--permission", "revise", "--scope", "a", "--scope", "*"), FOR_EVERYBODY),
        (("--permission", "read", "--scope", "*"), ""),
        (("--permission", "ingest", "--scope", "a"), ""),
        (("--permission", "ingest", "--scope", "*", *USERS), ""),
        (("--permission", "ingest", "--scope", "*", *USERS, "--user-optional"), FOR_EVERYBODY),
    ],
    ids=["ingest", "revise", "a reader", "one scope", "users", "users if named"],
)
def test_a_key_that_writes_for_everybody_says_so(
    place: TableKeys, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    create(place, *options)

    shown = capsys.readouterr()
    assert shown.err == said
    assert len(shown.out.splitlines()) == 2, "the id and the key, for scripts"


def test_a_key_is_printed_as_json_for_programs(
    place: TableKeys, capsys: pytest.CaptureFixture[str]
) -> None:
    made = create(place, "--permission", "ingest", "--scope", "*", "--json")

    told = capsys.readouterr()
    printed = json.loads(told.out)
    assert {**made, "secret": printed["secret"]} == printed
    assert printed["secret"]
    assert told.err == FOR_EVERYBODY


def test_a_list_shows_the_users_of_each_key(
    place: TableKeys, capsys: pytest.CaptureFixture[str]
) -> None:
    create(place, "--permission", "read", "--scope", "t:*", "--user-prefix", "t:")
    create(place, "--permission", "read", "--scope", "t:*")
    capsys.readouterr()

    assert main(["keys", "list", "--url", "http://unused"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[4] for line in lines] == ["t:, required", "-"]
