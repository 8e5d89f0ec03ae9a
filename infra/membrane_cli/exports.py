"""`membrane export FILE`: start an export, wait for the file, download and check the file."""

import argparse
import time
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rich.console import Console
from rich.progress import Progress

from membrane.domain.archive.exports import ExportState
from membrane.domain.archive.lines import require_whole
from membrane.domain.language.errors import Unavailable
from membrane_cli.http_client import open_link, proxy_of
from membrane_cli.options import Parser, open_client
from membrane_cli.output import show_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membrane_client import Membrane
    from membrane_client.values.jobs import Export, ExportPart, ExportReply


PATIENCE_S = 1_800
"""The longest wait without progress: a run lasts 15 minutes at most."""


def add_options(parser: Parser) -> None:
    parser.option("file", "the new file, NDJSON", type=Path)
    parser.add_client()
    parser.run_by(
        _export, "membrane export memory.ndjson", "membrane export --scope project:acme acme.ndjson"
    )


def _export(options: argparse.Namespace) -> None:
    console = Console()
    with open_client(options) as client:
        export = export_file(options.file, client, console)
    counts = ", ".join(f"{count:g} {kind}" for kind, count in export.counts.items())
    show_line(console, f"{export.lines} lines, {export.bytes} bytes: {counts or 'nothing'}")


def export_file(
    file: Path, client: "Membrane", console: Console, *, pause_s: float = 1.0
) -> "Export":
    """Export into a new file, which gets its name when the whole export is checked."""
    with (
        _new_file(file) as content,
        Progress(
            *Progress.get_default_columns(), console=console, disable=not console.is_terminal
        ) as bars,
    ):
        writing = bars.add_task("writing", total=None)
        for reply in _replies_until_done(client.create_export().id, client, pause_s):
            bars.update(writing, description=f"writing: {reply.export.lines} lines")
        bars.update(writing, completed=1, total=1)
        downloading = bars.add_task("downloading", total=reply.export.bytes)
        for _ in _downloaded_parts(reply, client, content, pause_s):
            bars.update(downloading, completed=content.tell())
        content.seek(0)
        require_whole(line.removesuffix(b"\n") for line in content)
    return reply.export


def _replies_until_done(
    export_id: str, client: "Membrane", pause_s: float
) -> "Iterator[ExportReply]":
    """The states of the export; the service tries a failed export again, so a failure is no end."""
    patience_s, newest = float(PATIENCE_S), None
    while patience_s > 0:
        reply = client.read_export(export_id)
        yield reply
        if reply.export.state == ExportState.DONE:
            return
        if reply.export.updated_at != newest:
            newest, patience_s = reply.export.updated_at, float(PATIENCE_S)
        time.sleep(pause_s)
        patience_s -= pause_s
    raise Unavailable(f"nothing has happened for {PATIENCE_S} s; the export may still go on")


def _downloaded_parts(
    page: "ExportReply", client: "Membrane", content: BinaryIO, pause_s: float
) -> "Iterator[ExportPart]":
    """Every part once it is downloaded, page by page; of each retry, the link is new."""
    cursor = ""
    while True:
        for number in range(len(page.parts)):
            begin, pauses_s = content.tell(), [0.0, pause_s, 4 * pause_s]
            while not _is_downloaded(page.parts[number], content, is_last=not pauses_s):
                time.sleep(pauses_s.pop(0))
                content.seek(begin)
                content.truncate()
                page = client.read_export(page.export.id, cursor=cursor)
            yield page.parts[number]
        if page.next_cursor is None:
            return
        cursor = page.next_cursor
        page = client.read_export(page.export.id, cursor=cursor)


def _is_downloaded(part: "ExportPart", content: BinaryIO, *, is_last: bool) -> bool:
    """False for a failed download; raises Unavailable for the last of them."""
    try:
        content.writelines(_pieces(part))
    except ConnectionError as error:
        if is_last:
            why = f"{error}{proxy_of(part.url)}"
            raise Unavailable(f"a part of the file cannot be downloaded: {why}") from error
        return False
    return True


def _pieces(part: "ExportPart") -> "Iterator[bytes]":
    """Raises ConnectionError for every failure of the network, and for another size."""
    left = part.bytes
    try:
        with open_link(part.url, timeout_s=60) as reply:
            while piece := reply.read(1024 * 1024):
                left -= len(piece)
                yield piece
    except (OSError, HTTPException) as error:
        raise ConnectionError(str(error)) from error
    if left:
        raise ConnectionError("the download broke off")


@contextmanager
def _new_file(file: Path) -> "Iterator[BinaryIO]":
    if file.exists():
        raise FileExistsError(f"{file} exists already")
    unfinished = file.with_name(f"{file.name}.partial")
    try:
        with unfinished.open("w+b") as content:
            yield content
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
