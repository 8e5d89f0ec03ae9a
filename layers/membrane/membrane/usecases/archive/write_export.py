"""Write the file of an export in parts, resumably.

A run walks the table item by item and collects lines. Every part that is written moves the stored
state of the export on. A later run continues behind the last item of the last part, so the file has
no line twice unless the walk met an item twice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from membrane.domain.archive.exports import MAX_PARTS, Export, ExportState, Part, part_name
from membrane.domain.archive.lines import (
    OF_DOCUMENTS,
    VERSION,
    WITH_DOCUMENTS,
    Frame,
    LineKind,
    first_line,
    last_line,
)
from membrane.domain.language.errors import DomainError, TooLarge, Unavailable
from membrane.domain.language.timestamps import rfc3339
from membrane.table.items import Checkpoint, LostRace
from membrane.table.keys import export_key
from membrane.usecases.archive.export_lines import ExportLine, lines_of_items
from membrane.usecases.archive.exports import keep_export
from membrane.usecases.archive.keyed_documents import is_amid_document, lines_of_document
from membrane.usecases.machinery.calls import IsOutOfTime
from membrane.usecases.ports.world import World

PART_BYTES = 16 * 1024 * 1024
"""A part has this size at least, unless a run or the file ends."""


@dataclass(slots=True)
class _Ledger:
    """The export of one run: the stored state, and the lines that are in no part yet."""

    owner: str
    world: World
    export: Export
    kept: Checkpoint
    lines: list[bytes] = field(default_factory=list)
    kinds: list[LineKind] = field(default_factory=list)
    size: int = 0

    def write_part(self, after: str | None) -> None:
        """Write the lines so far as a part; `after` is the start of the walk behind them."""
        kept = self.export
        if self.lines:
            plain, keyed = self._frames()
            parts = (*kept.parts, self._part(len(kept.parts) + 1, self.lines))
            kept = replace(kept, parts=parts, frame=plain, keyed_digest=keyed.digest)
        self.lines, self.kinds, self.size = [], [], 0
        self.save(replace(kept, after=after))

    def finish(self) -> None:
        """Write the rest of the lines, the last line and the first; the export is done.

        The first line says whether there are documents, so that a large file has the first line in
        a part of its own, written last. A finished export does not keep the place of the walk: the
        item there may be of another scope.
        """
        plain, keyed = self._frames()
        has_documents = not OF_DOCUMENTS.isdisjoint(plain.counts)
        frame = keyed if has_documents else plain
        first = self._first_line(WITH_DOCUMENTS if has_documents else VERSION)
        rest, kept = [*self.lines, last_line(frame)], self.export
        if kept.parts:
            others = (*kept.parts, self._part(len(kept.parts) + 1, rest))
            parts = (self._part(0, [first]), *others)
        else:
            parts = (self._part(1, [first, *rest]),)
        whole = replace(frame, lines=frame.lines + 1)
        self.save(replace(kept, parts=parts, frame=whole, after=None, state=ExportState.DONE))

    def save(self, export: Export) -> None:
        """Raises LostRace if a different run continues the export."""
        self.export = replace(export, updated_at=rfc3339(self.world.now()))
        self.kept = keep_export(self.export, self.owner, self.kept, self.world)

    def _frames(self) -> tuple[Frame, Frame]:
        kept = self.export
        plain, keyed = kept.frame, replace(kept.frame, digest=kept.keyed_digest)
        if not kept.frame.lines:
            firsts = map(self._first_line, (VERSION, WITH_DOCUMENTS))
            plain, keyed = (Frame().after([first]) for first in firsts)
        return plain.after(self.lines, self.kinds), keyed.after(self.lines, self.kinds)

    def _first_line(self, version: int) -> bytes:
        return first_line(self.export.created_at, self.export.selection, version)

    def _part(self, number: int, lines: Sequence[bytes]) -> Part:
        """Write an object, which the job names before: an erasure finds every one."""
        export = self.export
        if len(export.parts) + len(export.begun) >= MAX_PARTS:
            raise TooLarge(f"the export has more than {MAX_PARTS} parts; export scope by scope")
        content = b"".join(line + b"\n" for line in lines)
        token = self.world.new_id().replace("-", "")[-12:]
        name = part_name(export.id, number, token)
        self.save(replace(export, begun=(*export.begun, name)))
        self.world.blobs.write(name, content)
        return Part(name, len(content))


def write_export(
    owner: str,
    export_id: str,
    world: World,
    *,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
) -> Export | None:
    """Continue the export from the last part; a finished export stays as it is.

    Returns None for an expired export, and if a different run continues the export. When time runs
    out, `hand_over` starts the next run; without `hand_over`, raises Unavailable. A fault is kept
    with the export and raised.
    """
    kept = world.jobs.find(export_key(owner, export_id))
    if kept is None:
        return None
    export = Export.of_json(kept.progress)
    if export.state is ExportState.DONE:
        return export
    running = replace(export, state=ExportState.RUNNING, reason="")
    ledger = _Ledger(owner, world, running, kept)
    try:
        with _failures_kept(ledger):
            _write_items(ledger, world, is_out_of_time, hand_over)
    except LostRace:
        return None
    return ledger.export


def _write_items(
    ledger: _Ledger,
    world: World,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
) -> None:
    """Write at least one item a run, so that every run makes progress."""
    for lines, after in _walk(ledger.export, world):
        for kind, line in lines:
            ledger.lines.append(line)
            ledger.kinds.append(kind)
            ledger.size += len(line) + 1
        is_late = is_out_of_time()
        if is_late or ledger.size >= PART_BYTES:
            ledger.write_part(after)
        if is_late:
            if hand_over is None:
                raise Unavailable("the export takes too long")
            hand_over()
            return
    ledger.finish()


def _walk(export: Export, world: World) -> Iterator[tuple[Iterable[ExportLine], str | None]]:
    """The lines of each item without a part, and the start of the walk behind the lines.

    A page without items gives no lines and the start of the next page.
    """
    after = export.after
    if after is not None and is_amid_document(after):
        for lines, reached in lines_of_document(after, export, world):
            after = reached
            yield lines, after
    while True:
        items, after = world.exports.page(after)
        for item, lines in zip(items, lines_of_items(items, export, world), strict=True):
            if item.kind is LineKind.KEYED_DOCUMENT:
                yield from lines_of_document(item.after, export, world)
            else:
                yield lines, item.after
        if after is None:
            return
        yield (), after


@contextmanager
def _failures_kept(ledger: _Ledger) -> Iterator[None]:
    try:
        yield
    except LostRace:
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, DomainError) else type(error).__name__
        with suppress(LostRace):  # a save whose reply was lost, or a different run
            ledger.save(replace(ledger.export, state=ExportState.FAILED, reason=reason))
        raise
