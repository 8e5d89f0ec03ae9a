"""`membrane forget` for a target, against a `membrane dev` of its own process."""

import json
import shlex
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from membrane_cli.cli import main
from membrane_client import Membrane, NotFound
from tests.e2e.stack import Stack
from tests.integration.cli.test_memory_commands import Terminal

SCOPE = "user:eve"

Forget = Callable[..., list[str]]


@pytest.fixture
def memory(stack: Stack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Membrane]:
    """A client of an empty stack, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    with Membrane(stack.url, stack.secret) as client:
        yield client


@pytest.fixture
def forget(capsys: pytest.CaptureFixture[str]) -> Forget:
    """The lines that `membrane forget` prints."""

    def lines(*words: str, code: int = 0) -> list[str]:
        capsys.readouterr()
        assert main(["forget", *words]) == code, capsys.readouterr().err
        return capsys.readouterr().out.splitlines()

    return lines


def is_there(memory: Membrane, record_id: str) -> bool:
    """Whether the record is there, by id: a list waits for the index."""
    try:
        return memory.retrieve_by_id(record_id).id == record_id
    except NotFound:
        return False


def test_a_scope_is_listed_then_erased_and_the_certificate_is_saved(
    memory: Membrane, forget: Forget
) -> None:
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id
    other = memory.remember("Adam", "likes", "tea", scope="user:adam").id

    lines = forget("--scope", SCOPE, "--yes", "--certificate", "eve.json", "--reason", "7")

    assert lines.count("record\tis_of\terase\t1") == 2, "in the list, and in the certificate"
    assert any(line.startswith("backups\t") and line.endswith("\t35") for line in lines)
    assert lines[-1] == "eve.json\t1 entries"
    saved = json.loads(Path("eve.json").read_text())
    assert [each["id"] for each in saved["entries"]] == [own]
    assert saved["certificate"]["reason"] == "7"
    assert (is_there(memory, own), is_there(memory, other)) == (False, True)


def test_without_a_terminal_and_without_yes_the_list_is_all(
    memory: Membrane,
    forget: Forget,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))

    assert main(["forget", "--scope", SCOPE]) == 1

    told = capsys.readouterr()
    assert "record\tis_of\terase\t1" in told.out
    assert told.err.endswith("nothing is erased: confirm the list with --yes\n")
    assert is_there(memory, own)
    assert "record\tis_of\terase\t1" in forget("--scope", SCOPE, "--dry-run")
    assert is_there(memory, own)


@pytest.mark.parametrize(("answer", "code"), [("\n", 1), ("n\n", 1), ("", 1), ("y\n", 0)])
def test_a_person_at_the_terminal_is_asked(
    answer: str,
    code: int,
    memory: Membrane,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    assert main(["forget", "--scope", SCOPE]) == code

    assert "findings for good? [y/N] " in capsys.readouterr().err
    assert is_there(memory, own) is bool(code)
    assert len(list(Path().glob("erasure-*.json"))) == 1 - code


def test_a_mention_of_a_subject_is_listed_and_stays(memory: Membrane, forget: Forget) -> None:
    about = memory.remember("Eve", "likes", "tea").id
    mention = memory.remember("Adam", "is a friend of", "Eve").id

    lines = forget("--subject", "Eve", "--yes")

    assert "record\tis_about\terase\t1" in lines
    assert f"record\tmentions\t{mention}" in lines
    assert (is_there(memory, about), is_there(memory, mention)) == (False, True)


def test_the_command_that_erases_every_spelling_is_printed_ready(
    memory: Membrane, forget: Forget, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [memory.remember(each, "likes", "tea").id for each in ("Eve Adams", "eve adams", "EVE_")]
    said = ["Eve Adams", "eve  adams", "EVE ADAMS"]
    kept = [memory.remember(each, "likes", "tea").id for each in said[1:]]

    assert main(["forget", "--subject", "Eve Adams", "--dry-run"]) == 0

    shown = capsys.readouterr()
    rows = ["Eve Adams\t1\tyes", "eve adams\t1\tno", "eve  adams\t1\tno", "EVE ADAMS\t1\tno"]
    assert set(rows) <= {*shown.out.splitlines()}
    command = shown.err.rpartition("to erase every spelling: membrane forget ")[2].strip()
    forget("--subject", "Eve Adams", "--spelling", "eve adams", "--yes")
    assert [is_there(memory, each) for each in (*ids, *kept)] == [False, False, True, True, True]

    forget(*shlex.split(command), "--yes")

    assert [is_there(memory, each) for each in (*ids, *kept)] == [False, False, True, False, False]


def test_a_document_of_a_list_is_erased_by_its_id(memory: Membrane, forget: Forget) -> None:
    memory.put_document(["notes"], "monday", value="tea with Eve")
    (row,) = [each for each in forget("--subject", "Eve", "--dry-run") if "\tdoc." in each]
    kind, _, found_id = row.split("\t")

    lines = forget("--ids", found_id, "--yes")

    assert (kind, found_id[:4]) == ("document", "doc.")
    assert "document\tnamed\terase\t1" in lines
    with pytest.raises(NotFound):
        memory.get_document(["notes"], "monday")


def test_ids_exclude_a_subject(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["forget", "--ids", "doc.1", "--subject", "Eve"])

    assert "--subject: not together with --ids" in capsys.readouterr().err


def test_a_spelling_needs_a_subject(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["forget", "--scope", SCOPE, "--spelling", "Eve"])

    assert "--spelling: needs --subject" in capsys.readouterr().err


def test_programs_read_the_list_and_the_end(memory: Membrane, forget: Forget) -> None:
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id

    listed, ended = map(json.loads, forget("--scope", SCOPE, "--yes", "--json"))

    assert (listed["state"], [each["id"] for each in listed["findings"]]) == ("listed", [own])
    assert ended["state"] == "done"
    assert ended["certificate_file"] == f"erasure-{ended['id']}.json"
    assert json.loads(Path(ended["certificate_file"]).read_text())["certificate"]["entries"] == 1


def test_a_user_of_the_key_is_erased(stack: Stack, memory: Membrane, forget: Forget) -> None:
    key = {
        "actor_id": "app",
        "permissions": ["admin", "ingest", "read", "revise"],
        "scopes": ["user:*"],
        "user_prefix": "user:",
        "max_sensitivity": "hyper",
    }
    secret = stack.call("POST", "/_dev/keys", key)[1]["secret"]
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id

    forget("--user", "eve", "--yes", "--api-key", secret)

    assert not is_there(memory, own)


def test_an_erasure_started_elsewhere_is_followed_to_its_certificate(
    memory: Membrane, forget: Forget, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.remember("Eve", "likes", "tea", scope=SCOPE)
    started = memory.start_erasure(scope=SCOPE, dry_run=False)

    lines = forget("--erasure", started.id)

    file = f"erasure-{started.id}.json"
    assert lines[-1] == f"{file}\t1 entries"
    assert main(["forget", "--erasure", started.id]) == 1
    assert f"{file} exists" in capsys.readouterr().err


def test_the_place_of_the_certificate_is_looked_at_before_anything_is_erased(
    memory: Membrane, capsys: pytest.CaptureFixture[str]
) -> None:
    own = memory.remember("Eve", "likes", "tea", scope=SCOPE).id
    Path("taken.json").write_text("{}")

    for file, reason in (("taken.json", "exists"), ("absent/eve.json", "cannot be written")):
        assert main(["forget", "--scope", SCOPE, "--yes", "--certificate", file]) == 1
        assert f"membrane forget: {file} {reason}" in capsys.readouterr().err
    assert is_there(memory, own)


def test_a_saved_certificate_is_checked(
    memory: Membrane, forget: Forget, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.remember("Eve", "likes", "tea", scope=SCOPE)
    forget("--scope", SCOPE, "--yes", "--certificate", "eve.json")

    assert "entries\t1" in forget("--verify", "eve.json")
    assert json.loads(forget("--verify", "eve.json", "--json")[0])["entries_match"] is True

    saved: Any = json.loads(Path("eve.json").read_text())
    saved["entries"][0]["id"] = "another"
    Path("changed.json").write_text(json.dumps(saved))
    Path("text.json").write_text("no JSON")
    for file, reason in (("changed.json", "the entries differ"), ("text.json", "is not JSON")):
        assert main(["forget", "--verify", file]) == 1
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize("target", [["--scope", ""], ["--subject", " ", "--user", "eve"]], ids=str)
def test_an_empty_target_is_refused_for_it_would_widen_the_target(
    target: list[str], memory: Membrane, capsys: pytest.CaptureFixture[str]
) -> None:
    own = memory.remember("Eve", "likes", "tea").id

    assert main(["forget", *target, "--yes"]) == 1

    assert "is empty" in capsys.readouterr().err
    assert is_there(memory, own)
