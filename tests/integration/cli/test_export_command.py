"""`membrane export` against a bucket whose links expire and whose downloads break off."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest
from rich.console import Console

from membrane_cli.exports import export_file
from membrane_client import Membrane
from membrane_client.values.jobs import Export, ExportReply
from tests.worlds.archiving import file_of
from tests.worlds.refusals import refuses

FIRST = {
    "format": "membrane-export",
    "version": 1,
    "exported_at": "2026-11-24T08:00:00Z",
    "selection": {"max_sensitivity": "hyper"},
}
FILE = file_of(FIRST, *({"kind": "thread", "number": each} for each in range(9)))
PART_BYTES = 60
NO_PROXY_ANSWERS = "http://127.0.0.1:9"
"""The port of `discard`."""

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


def whole(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """The part."""
    request.send_response(200)
    request.send_header("content-length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


def expired(request: BaseHTTPRequestHandler, _content: bytes) -> None:
    """The refusal of an old link."""
    request.send_error(403)


def broken_off(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """Half of the part, under the length of the whole part."""
    request.send_response(200)
    request.send_header("content-length", str(len(content)))
    request.end_headers()
    request.wfile.write(content[: len(content) // 2])


def shortened(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """Half of the part, as if that were the part."""
    whole(request, content[: len(content) // 2])


@dataclass(slots=True)
class Bucket:
    """Serves parts under links that are new in each reply; a link works for one part."""

    content: bytes = FILE
    answers: list[Answer] = field(default_factory=list)
    """The answers to the next requests; afterwards, each request gets the part."""
    address: str = ""
    links: int = 0
    """The number of links so far."""

    @property
    def parts(self) -> Sequence[bytes]:
        begins = range(0, len(self.content), PART_BYTES)
        return [self.content[begin : begin + PART_BYTES] for begin in begins]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        number = int(request.path.rpartition("/")[2])
        answer = self.answers.pop(0) if self.answers else whole
        answer(request, self.parts[number])


@dataclass(slots=True)
class Exports:
    """The client of a service with one finished export; a page has two parts."""

    bucket: Bucket

    def create_export(self) -> Export:
        return self._reply(0).export

    def read_export(self, _export_id: str, *, cursor: str = "") -> ExportReply:
        return self._reply(int(cursor or 0))

    def _reply(self, begin: int) -> ExportReply:
        parts, bucket = self.bucket.parts, self.bucket
        shown: dict[str, Any] = {
            "export": {"id": "e", "state": "done", "lines": 11, "bytes": len(FILE), "counts": {}},
            "parts": [],
        }
        for number, part in enumerate(parts[begin : begin + 2], begin):
            bucket.links += 1
            url = f"{bucket.address}/{bucket.links}/{number}"
            shown["parts"].append({"url": url, "bytes": len(part)})
        if begin + 2 < len(parts):
            shown["next_cursor"] = str(begin + 2)
        return ExportReply(shown)


@contextmanager
def serving(bucket: Bucket) -> Iterator[Membrane]:
    """The client of a service whose links lead to the bucket."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            bucket.answer(self)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        bucket.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield cast("Membrane", Exports(bucket))
        finally:
            server.shutdown()


def export_to(file: Path, bucket: Bucket, console: Console | None = None) -> None:
    with serving(bucket) as client:
        export_file(file, client, console or Console(file=StringIO()), pause_s=0.001)


def test_the_parts_of_all_pages_make_the_file(tmp_path: Path) -> None:
    export_to(tmp_path / "a.ndjson", Bucket())

    assert (tmp_path / "a.ndjson").read_bytes() == FILE
    assert len(Bucket().parts) > 4


def test_a_terminal_shows_how_far_the_download_is(tmp_path: Path) -> None:
    shown = StringIO()

    console = Console(file=shown, force_terminal=True, color_system=None, width=80)
    export_to(tmp_path / "a.ndjson", Bucket(), console)

    assert "writing: 11 lines" in shown.getvalue()
    assert re.search("downloading.*100%", shown.getvalue())


@pytest.mark.parametrize("failure", [expired, broken_off, shortened])
@pytest.mark.parametrize("before", [0, 3])
def test_a_part_that_fails_is_downloaded_again_from_a_new_link(
    tmp_path: Path, failure: Answer, before: int
) -> None:
    bucket = Bucket(answers=[*[whole] * before, failure, failure, failure])

    export_to(tmp_path / "a.ndjson", bucket)

    assert (tmp_path / "a.ndjson").read_bytes() == FILE


def test_a_part_that_always_fails_leaves_no_file(tmp_path: Path) -> None:
    with refuses("UNAVAILABLE"):
        export_to(tmp_path / "a.ndjson", Bucket(answers=[whole, *[expired] * 4]))

    assert list(tmp_path.iterdir()) == []


def name_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"http_proxy": NO_PROXY_ANSWERS, "no_proxy": "", "NO_PROXY": ""}.items():
        monkeypatch.setenv(name, value)


def test_no_proxy_is_asked_for_a_part_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_proxy(monkeypatch)

    export_to(tmp_path / "a.ndjson", Bucket())

    assert (tmp_path / "a.ndjson").read_bytes() == FILE


def test_the_error_of_a_part_elsewhere_names_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_proxy(monkeypatch)
    client = cast("Membrane", Exports(Bucket(address="http://bucket.example")))

    with refuses("UNAVAILABLE", match=f"the proxy {NO_PROXY_ANSWERS}"):
        export_file(tmp_path / "a.ndjson", client, Console(file=StringIO()), pause_s=0.001)


def test_a_download_that_differs_leaves_no_file(tmp_path: Path) -> None:
    changed = FILE.replace(b'"number":4', b'"number":5')

    with refuses("INVALID_ARGUMENT"):
        export_to(tmp_path / "a.ndjson", Bucket(changed))

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text("mine")

    with pytest.raises(FileExistsError):
        export_to(tmp_path / "a.ndjson", Bucket())

    assert (tmp_path / "a.ndjson").read_text() == "mine"
