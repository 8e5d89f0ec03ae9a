"""Write the file of an export in parts, resumably.

A run walks the table page by page and collects lines. Every part that is written moves the stored
state of the export on; a later run continues there. The next run repeats only lines that were in no
part yet, so the file has no line twice unless the walk met an item twice.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.archive.exports import Export, ExportState, Part, part_name
from membrane.domain.archive.lines import (
    MAX_LINE_BYTES,
    LineKind,
    encode_line,
    first_line,
    last_line,
)
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.ingest.turns import thread_of
from membrane.domain.language.errors import DomainError, TooLarge, Unavailable
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.natural_key import thread_key
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.archive.export_topics import (
    damaged_line,
    feeds_topics,
    statement_lines,
    topic_lines,
)
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.archive import ArchivePage, NextTurn
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_archive import ArchiveServices

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject

PART_BYTES = 16 * 1024 * 1024
"""A part has this size at least, unless a run or the file ends."""
MAX_PARTS = 3_000
"""The item of an export names every part, and a reply has a link to each."""
PORTION = 100
"""Records that are read in one request."""


@dataclass(slots=True)
class _Ledger:
    """The export of one run: the stored state, and the lines that are in no part yet."""

    owner: str
    services: ArchiveServices
    export: Export
    kept: Checkpoint
    lines: list[bytes] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, kind: LineKind, line: bytes) -> None:
        self.kinds.append(kind)
        self._append(line)

    def begin(self) -> None:
        """Add the first line, unless a part has it."""
        if not self.export.frame.lines:
            self._append(first_line(self.export.created_at, self.export.selection))

    def write_part(self, after: str | None) -> None:
        """Write the lines so far as a part; `after` is the page of the walk that they end with.

        The job names the object before the object is written: an erasure finds every object.
        """
        frame = self.export.frame.after(self.lines, self.kinds)
        parts = (*self.export.parts, self._kept_part(self.lines))
        self.lines, self.kinds, self.size = [], [], 0
        self._save(replace(self.export, frame=frame, parts=parts, after=after))

    def finish(self) -> None:
        """Write the rest of the lines and the last line; the export is done."""
        frame = self.export.frame.after(self.lines, self.kinds)
        end = last_line(frame)
        parts = (*self.export.parts, self._kept_part([*self.lines, end]))
        whole = replace(frame, lines=frame.lines + 1)
        self._save(replace(self.export, frame=whole, parts=parts, state=ExportState.DONE))

    def fail(self, reason: str) -> None:
        self._save(replace(self.export, state=ExportState.FAILED, reason=reason))

    def _append(self, line: bytes) -> None:
        self.lines.append(line)
        self.size += len(line) + 1

    def _kept_part(self, lines: Sequence[bytes]) -> Part:
        if len(self.export.parts) == MAX_PARTS:
            raise TooLarge(f"the export has more than {MAX_PARTS} parts; export scope by scope")
        content = b"".join(line + b"\n" for line in lines)
        token = self.services.new_id().replace("-", "")[-12:]
        name = part_name(self.export.id, len(self.export.parts) + 1, token)
        self._save(replace(self.export, begun=(*self.export.begun, name)))
        self.services.exports.keep_part(name, content)
        return Part(name, len(content))

    def _save(self, export: Export) -> None:
        """Raises LostRace if a different run continues the export."""
        self.export = replace(export, updated_at=rfc3339(self.services.now()))
        self.kept = self.services.exports.keep_job(
            self.owner, self.export.as_json(), export.expires_at_s, self.kept
        )


def write_export(
    owner: str,
    export_id: str,
    services: ArchiveServices,
    *,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
) -> Export | None:
    """Continue the export from the last part; None if a different run continues the export.

    When time runs out, `hand_over` starts the next run; without `hand_over`, raises Unavailable. A
    fault is kept with the export and raised. A finished or expired export stays as it is.
    """
    kept = services.exports.job(owner, export_id)
    if kept is None:
        return None
    export = Export.of_json(kept.progress)
    if export.state is ExportState.DONE:
        return export
    running = replace(export, state=ExportState.RUNNING, reason="")
    ledger = _Ledger(owner, services, running, kept)
    try:
        with _failures_kept(ledger):
            _write_pages(ledger, services, is_out_of_time, hand_over)
    except LostRace:
        return None
    return ledger.export


def _write_pages(
    ledger: _Ledger,
    services: ArchiveServices,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
) -> None:
    """Write at least one page a run, so that every run makes progress."""
    ledger.begin()
    after = ledger.export.after
    while True:
        page = services.exports.page(after)
        for kind, line in _lines_of(page, ledger.export, services):
            ledger.add(kind, line)
        after = page.next
        if after is None:
            ledger.finish()
            return
        is_late = is_out_of_time()
        if is_late or ledger.size >= PART_BYTES:
            ledger.write_part(after)
        if is_late:
            if hand_over is None:
                raise Unavailable("the export takes too long")
            hand_over()
            return


@contextmanager
def _failures_kept(ledger: _Ledger) -> Iterator[None]:
    try:
        yield
    except LostRace:
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, DomainError) else type(error).__name__
        ledger.fail(reason)
        raise


def _lines_of(
    page: ArchivePage, export: Export, services: ArchiveServices
) -> Iterator[tuple[LineKind, bytes]]:
    """The lines of a page: records, then receipts and next turns, then topics."""
    for start in range(0, len(page.record_ids), PORTION):
        yield from _record_lines(page.record_ids[start : start + PORTION], export, services)
    yield from _receipt_lines(page, export, services)
    if export.selection.is_everything:
        yield from map(_thread_line, page.threads)
    yield from topic_lines(page, export, services)


def _record_lines(
    record_ids: Sequence[str], export: Export, services: ArchiveServices
) -> Iterator[tuple[LineKind, bytes]]:
    load = partial(services.records.load, whole=True)
    load_all = partial(services.records.load_each, whole=True)
    found, damaged = load_undamaged(record_ids, load_all, load)
    if damaged and export.selection.is_everything:
        for record_id in damaged:
            yield damaged_line(record_id, "unreadable")
    threads: set[bytes] = set()
    for record_id in record_ids:
        held = found.get(record_id)
        if held is None or not export.selection.selects(held.scope, held.sensitivity):
            continue
        if feeds_topics(held):
            yield from statement_lines(record_id, export, services)
        yield _record_line(held, services)
        thread = thread_of(held.record) if isinstance(held, StoredRecord) else None
        if thread is not None:
            threads.add(thread_key(held.scope, thread))
    if not export.selection.is_everything:
        turns = (NextTurn(key, services.records.next_turn(key)) for key in sorted(threads))
        yield from (_thread_line(thread) for thread in turns if thread.turn > 1)


def _record_line(held: AnyRecord, services: ArchiveServices) -> tuple[LineKind, bytes]:
    try:
        values = {large: services.records.value(large) for large in large_values_of(held)}
    except TRANSIENT:
        raise
    except Exception:  # noqa: BLE001 - one damaged value must not end every run at this record
        return damaged_line(held.id, "a value is unreadable")
    line = record_line(ArchivedRecord(held, values))
    encoded = encode_line(line)
    if len(encoded) > MAX_LINE_BYTES:
        return damaged_line(held.id, f"the line would exceed {MAX_LINE_BYTES} bytes")
    return LineKind(line["kind"]), encoded


def _receipt_lines(
    page: ArchivePage, export: Export, services: ArchiveServices
) -> Iterator[tuple[LineKind, bytes]]:
    ids = list(dict.fromkeys(keyed.record_id for keyed in page.receipts))
    held, _ = load_undamaged(ids, services.records.load_own, services.records.load)
    for keyed in page.receipts:
        found = held.get(keyed.record_id)
        if found is None or not export.selection.selects(found.scope, found.sensitivity):
            continue
        line: JsonObject = {
            "kind": LineKind.RECEIPT,
            "keyed_id": keyed.receipt.keyed_id,
            "record_id": keyed.record_id,
            "fingerprint": keyed.receipt.fingerprint.hex(),
        }
        yield LineKind.RECEIPT, encode_line(line)


def _thread_line(thread: NextTurn) -> tuple[LineKind, bytes]:
    line = {"kind": LineKind.THREAD, "key": thread.key.hex(), "next_turn": thread.turn}
    return LineKind.THREAD, encode_line(line)
