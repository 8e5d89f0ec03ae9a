"""What `membrane dev` cannot start with is refused in a sentence that names the option."""

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from membrane_cli.cli import main

UNKNOWN = "the template has no such parameter"
RATE = r"rate\((1 minute|1 hour|1 day|[1-9][0-9]* (minutes|hours))\)"


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.mark.parametrize(
    ("parameter", "sentence"),
    [
        (
            "DefaultSensitivty=high",
            f"DefaultSensitivty: {UNKNOWN}; set DefaultSensitivity in Tuning, as JSON",
        ),
        ("Xyzzy=red", f"Xyzzy: {UNKNOWN}"),
        ("DueShards=0", "DueShards: must be a whole number from 1 to 1024"),
        ("DesiredShards=1", f"DesiredShards: {UNKNOWN}; did you mean DueShards?"),
        (
            'Tuning={"DecayCurve": "steep"}',
            "Tuning: DecayCurve: must be one of: exponential, linear, custom",
        ),
        ("DecaySchedule=hourly", f"DecaySchedule: must be of the form {RATE}"),
        ("EmbeddingDimensions=7", "EmbeddingDimensions: must be one of: 256, 384, 512, 1024"),
    ],
)
def test_a_parameter_is_refused_by_its_own_name(
    parameter: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["dev", "--port", "0", "--parameter", parameter])

    assert code == 1
    assert capsys.readouterr().err == f"membrane dev: --parameter {sentence}\n"


def test_a_refused_parameter_leaves_no_store_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "memory.db")]

    code = main(["dev", "--port", "0", *store, "--parameter", "DueShards=0"])

    assert code == 1
    assert "--parameter DueShards" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_named(taken_port: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["dev", "--port", str(taken_port)])

    assert code == 1
    said = capsys.readouterr()
    assert said.out == "membrane dev: opening a store in memory\n"
    assert said.err == (
        f"membrane dev: --port: {taken_port} is in use by another program; 0 takes a free port\n"
    )


def a_text(folder: Path) -> Path:
    (folder / "notes").write_text("not a database of SQLite")
    return folder / "notes"


@pytest.mark.parametrize(
    ("option", "place", "sentence"),
    [
        ("--store", "absent/memory.db", "there is no folder {0}/absent; make it first"),
        ("--store", ".", "{0} is a folder, not a file"),
        ("--store", "notes", "{0}/notes is not a database of a local stack"),
        ("--blobs", "absent/blobs", "there is no folder {0}/absent; make it first"),
        ("--blobs", "notes", "{0}/notes is a file, not a folder"),
        ("--template", "absent.yaml", "{0}/absent.yaml cannot be read: No such file or directory"),
        ("--template", "notes", "{0}/notes has no Resources: is it a template?"),
    ],
)
def test_a_place_that_cannot_be_used_is_named_and_nothing_is_made_there(
    option: str, place: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_text(tmp_path)
    beside = ["--store", str(tmp_path / "memory.db")] if option == "--blobs" else []

    code = main(["dev", "--port", "0", option, str(tmp_path / place), *beside])

    assert code == 1
    expected = sentence.format(tmp_path)
    assert capsys.readouterr().err == f"membrane dev: {option}: {expected}\n"
    assert [each.name for each in tmp_path.iterdir()] == ["notes"]


def test_a_database_of_another_program_is_opened_or_refused_by_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE other (name TEXT)")
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 4_000)

    code = main(["dev", "--port", "0", "--store", str(path)])

    assert code == 1
    assert capsys.readouterr().err.startswith("membrane dev: --store: ")


def test_an_endpoint_where_nobody_answers_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"

    code = main(["dev", "--port", "0", "--store", endpoint, "--blobs", str(tmp_path / "blobs")])

    assert code == 1
    sentence = f"--store: no DynamoDB answers at {endpoint}"
    assert capsys.readouterr().err == f"membrane dev: {sentence}\n"
