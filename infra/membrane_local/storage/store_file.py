"""The SQLite file of dynoxide beside dynoxide: the stream's rows, and pages with erased content.

dynoxide keeps every change of a table with both images for ever, and SQLite leaves removed content
in free pages and in the write-ahead log. So the stack removes what every reader has read, and
rewrites the file after an erasure.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from membrane.domain.language.json_text import JsonObject
from membrane_local.storage.turns import Turns

LOCK_TIMEOUT_S = 20.0
"""How long a statement waits for a statement of dynoxide."""

_READER_TIMEOUT_MS = 200
"""How long emptying the log waits for another program that reads; the next write tries again."""

_CHUNK = 1_000
"""The most rows that one statement removes, so that no request waits long."""

_INDEXES = (
    """CREATE INDEX IF NOT EXISTS membrane_newest
       ON _stream_records (table_name, CAST(sequence_number AS INTEGER))""",
    """CREATE INDEX IF NOT EXISTS membrane_read
       ON _stream_records (table_name, shard_id, sequence_number)""",
)
_REMOVE = """DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < ? LIMIT ?)"""
_BLANK = """UPDATE _stream_records
    SET event_name = 'REMOVE', keys_json = '{}', new_image = NULL, old_image = NULL
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) = ?"""
_UNREAD = """SELECT EXISTS (
    SELECT * FROM _stream_records WHERE new_image IS NOT NULL OR old_image IS NOT NULL)"""


def index_stream(database: Path) -> None:
    """Make the cost of a write independent of the number of records in the stream.

    At every write, dynoxide scans all stream records of the table for the newest sequence number;
    an index on the numbers avoids the scan.
    """
    with closing(sqlite3.connect(database, timeout=LOCK_TIMEOUT_S)) as connection, connection:
        for statement in _INDEXES:
            connection.execute(statement)


@dataclass(slots=True)
class StoreFile:
    """The file of a store; a marker lies beside the file from an erasure until the rewriting."""

    database: Path
    table: str
    turns: Turns
    """Held by every request to dynoxide."""
    marker: Path
    ends: dict[str, int] = field(default_factory=dict)
    """By reader of the stream, the number of the last record that was read."""
    first_given_up: int | None = None
    """The number of the first record that a dead letter names, for a redrive."""
    watchers: list[Callable[[], object]] = field(default_factory=list)
    """Told of every erasure."""
    erasures: int = 0
    marking: Lock = field(default_factory=Lock)
    """Held for a change of the marker."""

    def trim(self) -> None:
        """Remove the records that every reader has read, and that no dead letter names.

        The newest of these records stays as a number alone, from which dynoxide counts on.
        """
        everywhere = min(self.ends.values())
        if self.first_given_up is not None:
            everywhere = min(everywhere, self.first_given_up - 1)
        removed = _CHUNK
        while removed == _CHUNK:
            with self._connection() as connection:
                where = (self.table, everywhere)
                removed = connection.execute(_REMOVE, (*where, _CHUNK)).rowcount
                connection.execute(_BLANK, where)

    def note_erasure(self) -> None:
        """Mark the file as one with erased content."""
        with self.marking:
            self.erasures += 1
            self.marker.touch()
        for tell in self.watchers:
            tell()

    def forget_erased(self) -> None:
        """Rewrite a marked file and empty the log, once every record of the stream was read."""
        if not self.marker.exists():
            return
        erasures = self.erasures
        self.first_given_up = None  # no dead letter keeps what was erased
        self.trim()
        with self._connection() as connection:
            (unread,) = connection.execute(_UNREAD).fetchone()
            if unread:
                return
            connection.execute("VACUUM")
            connection.execute(f"PRAGMA busy_timeout = {_READER_TIMEOUT_MS}")
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        with self.marking:
            if self.erasures == erasures and not is_busy:
                self.marker.unlink(missing_ok=True)  # another reader may have come first

    def items_with(self, attribute: str) -> Iterator[JsonObject]:
        """The key and the attribute of every item that has the attribute, read past dynoxide.

        A Scan takes a millisecond of CPU for each vector, since dynoxide parses every number.
        """
        path = f'$."{attribute}"'
        with closing(sqlite3.connect(self.database, timeout=LOCK_TIMEOUT_S)) as connection:
            rows = connection.execute(
                f"""SELECT json_object('pk', json_extract(item_json, '$.pk'),
                                       'sk', json_extract(item_json, '$.sk'),
                                       ?, json_extract(item_json, ?))
                    FROM "{self.table}" WHERE json_type(item_json, ?) IS NOT NULL""",  # noqa: S608 - the stack's own table
                (attribute, path, path),
            )
            for (item,) in rows:
                yield json.loads(item)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that commits every statement; dynoxide waits within the block."""
        connected = sqlite3.connect(self.database, timeout=LOCK_TIMEOUT_S, isolation_level=None)
        with self.turns, closing(connected) as connection:
            yield connection
