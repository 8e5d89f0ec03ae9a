"""`membrane import FILE`: into the bucket of a deployment, or into a running local stack."""

import argparse
import hashlib
import json
import re
import time
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from membrane.adapters.bucket import S3Imports
from membrane.domain.archive.lines import MAX_FRAME_BYTES, is_first_line
from membrane.domain.language import errors
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.imports.import_lines import NOT_THERE, REFUSED, REPLACED
from membrane.usecases.imports.progress import IMPORTS, RESTORES, Status, result_name
from membrane_cli.http_client import HttpClient, Unreachable
from membrane_cli.options import Parser, local_stack
from membrane_cli.output import interruptible, show_line
from membrane_cli.stacks import stack_here

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


PIECE_BYTES = 64 * 1024
PATIENCE_S = 600
"""The longest wait without a new result: Lambda waits three minutes at most between attempts."""
TRIES = 3
"""Lambda's attempts at one invocation (MaximumRetryAttempts + 1)."""
AGAIN = "give the same command again to see how far it is: no line is taken twice"
OnSent = Callable[[int], None]
"""Called with the number of bytes just sent."""


class LocalImports(NamedTuple):
    """Imports of a running `membrane dev`; see `DeployedImports` for the methods."""

    client: HttpClient
    prefix: str = IMPORTS

    def send(self, name: str, file: Path, digest: str, on_sent: OnSent) -> None:  # noqa: ARG002 - the local stack computes the digest
        """Send the file in one PUT, without reading the whole file into memory."""

        def pieces() -> Iterator[bytes]:
            with file.open("rb") as content:
                while piece := content.read(PIECE_BYTES):
                    yield piece
                    on_sent(len(piece))

        self.client.send("PUT", f"/_dev/{self.prefix}{name}", pieces(), file.stat().st_size)

    def result(self, name: str) -> JsonObject | None:
        try:
            return dict(self.client.ask("GET", f"/_dev/{self.prefix}{name}"))
        except errors.NotFound:
            return None

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        name = result["object"].removeprefix(self.prefix)
        for number, _ in enumerate(result["refused_parts"], 1):
            part = self.client.ask("GET", f"/_dev/{self.prefix}{name}?part={number}")
            yield from part["refusals"]


class DeployedImports(NamedTuple):
    client: "S3Client"
    bucket: str
    prefix: str = IMPORTS

    def send(self, name: str, file: Path, digest: str, on_sent: OnSent) -> None:
        """Put the file, which starts the import: a large file in parts, with the digest."""
        more: Any = {"ExtraArgs": {"Metadata": {"sha256": digest}}, "Callback": on_sent}
        self.client.upload_file(str(file), self.bucket, self.prefix + name, **more)

    def result(self, name: str) -> JsonObject | None:
        """The result so far; None before the import has begun."""
        stored = self._imports.result(result_name(self.prefix + name))
        return None if stored is None else dict(parse_json(stored.content))

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        """The refusals that were moved from the result into parts."""
        for part in result["refused_parts"]:
            stored = self._imports.result(part)
            yield from map(parse_json, [] if stored is None else stored.content.splitlines())

    @property
    def _imports(self) -> S3Imports:
        return S3Imports(lambda: self.client, self.bucket)


ImportPlace = LocalImports | DeployedImports


def add_options(parser: Parser) -> None:
    meaning = 'NDJSON: a line is {"rpc": "IngestEvent", …its fields…}; or an export'
    parser.option("file", meaning, type=Path)
    title = "the target: one of --url, --stack, --bucket"
    parser.add_stack(title, bucket="the bucket of a deployed stack")
    parser.flag("--again", "also a file imported before, for the refused lines")
    parser.run_by(
        _import, "membrane import history.ndjson", "membrane import history.ndjson --stack membrane"
    )


def _import(options: argparse.Namespace) -> int:
    result = import_file(options.file, _place(options), Console(), again=options.again)
    return int(result["status"] != Status.DONE or result["refused"] > 0)


def _place(options: argparse.Namespace) -> ImportPlace:
    with options.file.open("rb") as content:
        is_export = is_first_line(content.readline(MAX_FRAME_BYTES).rstrip())
    if not is_export:
        require_ndjson(options.file)
    prefix = RESTORES if is_export else IMPORTS
    client = local_stack(options)
    if client is not None:
        return LocalImports(client, prefix)
    import boto3  # noqa: PLC0415 - a local stack needs no client

    bucket = options.bucket or stack_here(options.stack).resource("Bucket")
    return DeployedImports(boto3.client("s3"), bucket, prefix)


def import_file(
    file: Path, place: ImportPlace, console: Console, *, again: bool, pause_s: float = 0.5
) -> JsonObject:
    """Send the file, and show and return the result; of an imported file the earlier result."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    name = f"{digest[:16]}-{re.sub(r'[^A-Za-z0-9._-]', '_', file.name)[-100:]}"
    before = place.result(name)
    if before is not None and before["status"] == Status.DONE and not again:
        console.print("imported before:", highlight=False)
        _show(before, place, console)
        return before
    with Progress(
        *Progress.get_default_columns(),
        console=console,
        disable=not console.is_terminal,
        speed_estimate_period=PATIENCE_S,
    ) as bars:
        sending = bars.add_task("sending", total=file.stat().st_size)
        place.send(name, file, digest, lambda size: bars.advance(sending, size))
        result = _follow(_results(name, before, place, pause_s), bars)
    _show(result, place, console)
    return result


@interruptible(f"the import goes on in the service; {AGAIN}")
def _follow(results: Iterable[tuple[JsonObject, bool]], bars: Progress) -> JsonObject:
    """Show each result, and return the last; a failure says that the import may go on."""
    importing, tenths = bars.add_task("importing", total=None), 0
    last: JsonObject = {}
    try:
        for result, is_last in results:
            bars.update(importing, completed=_share(result), total=1)
            if bars.disable and int(_share(result) * 10) > tenths:
                tenths = int(_share(result) * 10)
                bars.console.print(f"{result['lines']} lines, {tenths}0 %", highlight=False)
            if result["status"] == Status.FAILED and not is_last:
                show_line(bars.console, f"a try failed, Lambda tries again: {result['reason']}")
            last = result
    except Unavailable as error:
        raise Unavailable(f"{error}; the import may still go on: {AGAIN}") from error
    return last


def _results(
    name: str, before: JsonObject | None, place: ImportPlace, pause_s: float
) -> Iterator[tuple[JsonObject, bool]]:
    """Every new result, and whether the result is the last; raises Unavailable where none comes.

    While the earlier upload of the same file is still being imported, results of that import come
    first. An import has failed after a failed attempt that Lambda does not repeat. A slow answer of
    a busy place is none; Unreachable is raised.
    """
    newest, failures, patience_s = before, Failures(), float(PATIENCE_S)

    def is_own(result: JsonObject) -> bool:
        return before is None or result["put"] != before["put"]

    while patience_s > 0:
        try:
            result = place.result(name)
        except Unreachable:
            raise
        except (errors.ResourceExhausted, Unavailable):
            result = None
        if result is None or result == newest:
            time.sleep(pause_s)
            patience_s -= pause_s
            continue
        is_last = is_own(result) and (result["status"] == Status.DONE or failures.are_final(result))
        yield result, is_last
        if is_last:
            return
        newest, patience_s = result, float(PATIENCE_S)
    if newest is None or not is_own(newest) or newest["status"] != Status.FAILED:
        raise Unavailable(f"nothing has happened for {PATIENCE_S} s")


@dataclass(slots=True)
class Failures:
    """Failed attempts in a row of one invocation: progress in between starts a new count."""

    place: tuple[int, int] | None = None
    """The passes done, and the bytes of the present pass."""
    tries: int = 0

    def are_final(self, result: JsonObject) -> bool:
        """Whether Lambda makes no further attempt after this result."""
        if result["status"] != Status.FAILED:
            return False
        place = result.get("passes_done", 0), result["bytes_done"]
        self.tries = 1 if place != self.place else self.tries + 1
        self.place = place
        is_refused = result["reason"].startswith(REFUSED)
        return self.tries == TRIES or is_refused or result["reason"] in (NOT_THERE, REPLACED)


def _share(result: JsonObject) -> float:
    """The part of the work that is done; the result of a former version names no passes."""
    passes, done = result.get("passes", 1), result.get("passes_done", 0)
    of_pass = result["bytes_done"] / (result["bytes_total"] or 1)
    return min(1.0, float((done + of_pass) / passes))


def _show(result: JsonObject, place: ImportPlace, console: Console) -> None:
    counts = ", ".join(f"{result[count]} {count}" for count in ("created", "replayed", "refused"))
    show_line(console, f"{result['lines']} lines: {counts}")
    if result["status"] == Status.FAILED:
        show_line(console, f"failed: {result['reason']}")
    lines: dict[tuple[str, str], list[int]] = {}
    refusals = chain(place.refusals(result), result["refusals"])
    for each in islice(refusals, 10_000):
        lines.setdefault((each["code"], each["reason"]), []).append(each["line"])
    shown = dict(islice(lines.items(), 20))
    for (code, reason), numbers in shown.items():
        others = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
        show_line(console, f"line {numbers[0]}{others}: {code}: {reason}")
    more = result["refused"] - sum(map(len, shown.values()))
    if more > 0:
        name = result_name(result["object"])
        show_line(console, f"{more} more: {name} and the parts beside the file")


def require_ndjson(file: Path) -> None:
    """Raises InvalidArgument for a file without lines of JSON; the import refuses single lines."""
    with file.open("rb") as content:
        fault = _fault(content.read(PIECE_BYTES))
    if fault:
        raise InvalidArgument(f"{file} is not NDJSON, a JSON object on each line: {fault}")


def _fault(beginning: bytes) -> str:
    """Empty for a file whose lines may be objects."""
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in beginning:
        return "the file is UTF-16 or binary; save the text as UTF-8"
    text = beginning.decode("utf-8-sig", errors="replace").strip()
    if "\r" in text and "\n" not in text:
        return "the lines end with CR; end each line with LF"
    lines = [each.strip() for each in text.split("\n") if each.strip()]
    if text.startswith("["):
        return "the file is one JSON array; write each element on a line, as `jq -c '.[]'` does"
    if lines and not any(each.startswith("{") for each in lines):
        return "no line begins with {"
    if any("\r" in each and _is_read(json.loads, each.partition("\r")[0]) for each in lines):
        return "some lines end with CR; end each line with LF"
    is_cut = len(lines) > 1 and not _is_read(json.loads, lines[0])
    if is_cut and (not lines[1].startswith("{") or _is_read(json.JSONDecoder().raw_decode, text)):
        return "a JSON value takes several lines; write each value on one line, as `jq -c .` does"
    return ""


def _is_read(reader: Callable[[str], object], text: str) -> bool:
    """Whether the text is JSON for `json.loads`, or begins with JSON for `raw_decode`."""
    try:
        reader(text)
    except (RecursionError, ValueError):
        return False
    return True
