"""A SQLite file behind tables in memory: the writes of a call are in the file before the reply.

SQLite overwrites deleted content with zeros (`secure_delete`). After an erasure the write-ahead log
is emptied, too; the file keeps the note of an erasure until the log is empty.
"""

import fcntl
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from membrane_local.memory.attributes import Item, Refused
from membrane_local.refusals import StoreRefused

_APPLICATION_ID = 0x4D454D31
"""`MEM1` in the header of the file: the file is a store in this form."""
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA application_id = {_APPLICATION_ID};
CREATE TABLE IF NOT EXISTS tables
    (name TEXT PRIMARY KEY, description TEXT NOT NULL, last_number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS items
    (table_name TEXT, key TEXT, item TEXT NOT NULL, PRIMARY KEY (table_name, key));
CREATE TABLE IF NOT EXISTS changes
    (table_name TEXT, number INTEGER, change TEXT NOT NULL, PRIMARY KEY (table_name, number));
CREATE TABLE IF NOT EXISTS erasures (number INTEGER PRIMARY KEY);
"""

_LOCK_TIMEOUT_MS = 20_000
"""How long a call waits for another program that writes."""
_READER_TIMEOUT_MS = 200
"""How long emptying the log waits for another program that reads; the next trim tries again."""


@contextmanager
def open_file(path: Path) -> Iterator["TableFile"]:
    """The file, for this user and this process alone; raises StoreRefused for any other file."""
    whole = path.resolve()  # a link is a second name of the same file
    with whole.with_name(f"{whole.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreRefused(f"{path} is in use by another local stack") from error
        path.touch(mode=0o600)
        with closing(
            sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        ) as connection:
            try:
                is_store = _prepare(connection)
            except sqlite3.Error as error:
                raise StoreRefused(f"{path} cannot be opened: {error}") from error
            if not is_store:
                words = "is a database of another program, or of an earlier version"
                raise StoreRefused(f"{path} {words}")
            yield TableFile(connection)


def _prepare(connection: sqlite3.Connection) -> bool:
    """Make an empty file a store; False for a file in another form."""
    connection.execute(f"PRAGMA busy_timeout = {_LOCK_TIMEOUT_MS}")
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    is_store = not tables or int(found) == _APPLICATION_ID
    if is_store:
        connection.executescript(_SCHEMA)
    return is_store


class TableFile:
    """The file; not safe for threads, as every call is made under the database's lock."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def tables(self) -> Sequence[tuple[dict[str, Any], int]]:
        """The description of every table, and the number of the last change in its stream."""
        rows = self._connection.execute("SELECT description, last_number FROM tables")
        return [(json.loads(description), number) for description, number in rows]

    def items(self, table: str) -> Iterator[Item]:
        rows = "SELECT item FROM items WHERE table_name = ?"
        for (item,) in self._connection.execute(rows, (table,)):
            yield json.loads(item)

    def changes(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        rows = "SELECT number, change FROM changes WHERE table_name = ? ORDER BY number"
        for number, change in self._connection.execute(rows, (table,)):
            yield number, json.loads(change)

    def keep_table(self, table: str, description: dict[str, Any]) -> None:
        self._write(
            "INSERT INTO tables VALUES (?, ?, 0) "
            "ON CONFLICT (name) DO UPDATE SET description = excluded.description",
            table,
            _text(description),
        )

    def drop_table(self, table: str) -> None:
        self._write("DELETE FROM tables WHERE name = ?", table)
        self._write("DELETE FROM items WHERE table_name = ?", table)
        self._write("DELETE FROM changes WHERE table_name = ?", table)

    def keep(self, table: str, key: Item, item: Item | None) -> None:
        if item is None:
            self._write("DELETE FROM items WHERE table_name = ? AND key = ?", table, _text(key))
        else:
            row = (table, _text(key), _text(item))
            self._write("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", *row)

    def add_change(self, table: str, number: int, change: dict[str, Any]) -> None:
        self._write("INSERT INTO changes VALUES (?, ?, ?)", table, number, _text(change))
        self._write("UPDATE tables SET last_number = ? WHERE name = ?", number, table)

    def trim(self, table: str, before: int) -> None:
        self._write("DELETE FROM changes WHERE table_name = ? AND number < ?", table, before)

    def commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def empty_log(self) -> bool:
        """Move the log into the file; False while another program reads the file."""
        self.commit()
        self._connection.execute(f"PRAGMA busy_timeout = {_READER_TIMEOUT_MS}")
        (is_busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._connection.execute(f"PRAGMA busy_timeout = {_LOCK_TIMEOUT_MS}")
        return not is_busy

    def has_erasure(self) -> bool:
        return self._connection.execute("SELECT * FROM erasures").fetchone() is not None

    def note_erasure(self, *, is_pending: bool) -> None:
        note = "INSERT OR IGNORE INTO erasures VALUES (1)"
        self._write(note if is_pending else "DELETE FROM erasures")
        self.commit()

    def _write(self, statement: str, *values: object) -> None:
        """Raises Refused, before anything is written, while another program writes."""
        if not self._connection.in_transaction:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                reason = f"the store's file is in use: {error}"
                raise Refused("InternalServerError", reason) from error
        self._connection.execute(statement, values)


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
