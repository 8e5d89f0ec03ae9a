"""No file of a local store keeps a word that was erased, and the stream's rows do not pile up."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from membrane_local.dev_options import DevOptions
from membrane_local.storage.table import ReadChanges
from tests.worlds.api import Api, api_over

WORD = "xylograph4711"


def settle(api: Api) -> None:
    assert api.application.deliveries.agenda.wait_until_idle(25)


def plant(api: Api) -> str:
    """A record of a user and a document with the word; the id of the record."""
    fact = {"source": "me", "subject": "ana", "predicate": "pin", "object": WORD, "user": "ana"}
    record = api.call("POST", "/v1/ingest/observation", fact).record
    value = {"value": {"said": WORD}, "user": "ana"}
    assert api.call("PUT", "/v1/documents/notes/one", value).status == 200
    settle(api)
    return str(record["id"])


def erase_both(api: Api, record_id: str) -> None:
    reason = {"rationale": "asked"}
    assert api.call("DELETE", f"/v1/records/{record_id}?erase=true", reason).status == 204
    query = "erase=true&user=ana"
    assert api.call("DELETE", f"/v1/documents/notes/one?{query}", reason).status == 200


def erase_user(api: Api, _record_id: str) -> None:
    body = {"user": "ana", "dry_run": False, "reason": "asked"}
    assert api.call("POST", "/v1/erasures", body).status == 202


def reset(api: Api, _record_id: str) -> None:
    api.application.reset()


def files_with(word: str, folder: Path) -> list[str]:
    found = [each for each in folder.rglob("*") if each.is_file()]
    return [each.name for each in found if word.encode() in each.read_bytes()]


@pytest.mark.parametrize("erase", [erase_both, erase_user, reset])
def test_no_file_keeps_a_word_that_was_erased(
    tmp_path: Path, erase: Callable[[Api, str], None]
) -> None:
    with api_over(DevOptions(store=str(tmp_path / "memory.db"))) as api:
        record_id = plant(api)
        assert files_with(WORD, tmp_path)

        erase(api, record_id)
        settle(api)

        assert files_with(WORD, tmp_path) == []


def test_an_erasure_whose_file_was_not_rewritten_is_completed_at_the_next_start(
    tmp_path: Path,
) -> None:
    options = DevOptions(store=str(tmp_path / "memory.db"))
    with api_over(options) as api:
        record_id = plant(api)
        api.call("POST", "/_dev/stream", {"paused": True})
        erase_both(api, record_id)
        assert files_with(WORD, tmp_path)

    with api_over(options) as api:
        settle(api)

        assert files_with(WORD, tmp_path) == []


def test_a_file_that_another_program_reads_at_an_erasure_is_emptied_afterwards(
    tmp_path: Path,
) -> None:
    database = tmp_path / "memory.db"
    with api_over(DevOptions(store=str(database))) as api:
        record_id = plant(api)
        with closing(sqlite3.connect(database)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM changes").fetchall()
            erase_both(api, record_id)
            settle(api)
            assert files_with(WORD, tmp_path)

        assert api.call("PUT", "/v1/documents/notes/two", {"value": 2}).status == 200
        settle(api)

        assert files_with(WORD, tmp_path) == []


def test_a_store_keeps_no_row_of_the_stream_that_was_read(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    with api_over(DevOptions(store=str(database))) as api:
        for number in range(3):
            plant(api)
            with closing(sqlite3.connect(database)) as connection:
                rows = connection.execute("SELECT change FROM changes").fetchall()
            assert rows == [], number


def test_what_was_erased_before_a_crash_is_nowhere_after_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    with api_over(DevOptions(store=str(before / "memory.db"))) as api:
        record_id = plant(api)
        with monkeypatch.context() as patch:
            patch.setattr(ReadChanges, "trim", lambda _: None)
            erase_both(api, record_id)
            settle(api)
            shutil.copytree(before, after)  # as a killed stack leaves the files

    with api_over(DevOptions(store=str(after / "memory.db"))) as api:
        settle(api)

        assert files_with(WORD, after) == []


def test_a_log_that_another_program_held_is_emptied_by_the_next_stack(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    with api_over(DevOptions(store=str(before / "memory.db"))) as api:
        record_id = plant(api)
        with closing(sqlite3.connect(before / "memory.db")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM changes").fetchall()
            erase_both(api, record_id)
            settle(api)
            shutil.copytree(before, after)

    with api_over(DevOptions(store=str(after / "memory.db"))) as api:
        settle(api)

        assert files_with(WORD, after) == []
