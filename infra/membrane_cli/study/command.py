"""`membrane study FILE…`: each document followed to the end of its study; with --watch again."""

import argparse
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import is_well_formed
from membrane_cli.options import Parser, open_client
from membrane_cli.output import print_all, print_json, print_rows, printable, say, show_line
from membrane_cli.study.reading import SUFFIXES, File, files_of, read_document

if TYPE_CHECKING:
    from membrane_client import Membrane, Study


def add_options(parser: Parser) -> None:
    meaning = f"a document ({', '.join(SUFFIXES)}), or a folder for all documents below"
    parser.option("files", meaning, nargs="+", type=Path, metavar="FILE")
    meaning = "of a single document; if absent, its heading, then the file's name"
    parser.option("--title", meaning)
    meaning = "of a single document, the identity in the service; if absent, the path"
    parser.option("--source", meaning)
    parser.option("--sensitivity", "if absent, DefaultSensitivity of the deployment")
    parser.flag("--no-model", "sections and paragraphs as they are")
    once = parser.add_mutually_exclusive_group()
    parser.flag("--dry-run", "read and list the files, and end", place=once)
    parser.flag("--watch", "study new and changed files, too, until Ctrl-C", place=once)
    parser.add_client(json="a JSON object a line: the ended studies")
    parser.run_by(
        _study,
        "membrane study README.md docs",
        "membrane study handbook.pdf --title 'The handbook' --scope project:acme",
        "membrane study notes --no-model --watch",
    )


def _study(options: argparse.Namespace) -> int:
    named = {"title": options.title, "source": options.source}
    own = {name: value for name, value in named.items() if value is not None}
    if own and (len(options.files) > 1 or options.files[0].is_dir()):
        options.refuse("--title and --source go with a single document")
    faults: list[str] = []
    files = files_of(options.files, faults.append)
    for fault in faults:
        note(fault)
    if options.dry_run:
        return int(list_files(files, own, as_json=options.json) + len(faults) > 0)
    with_model = False if options.no_model else None
    given = {**own, "sensitivity": options.sensitivity, "with_model": with_model}
    watch = Watch()
    if options.watch:
        watch.look(files)
    with open_client(options) as client:
        studying = Studying(client, given, Console(stderr=True), as_json=options.json)
        failures = studying.study_files(files) + len(faults)
        if options.watch:
            with suppress(KeyboardInterrupt):  # the usual end
                study_changes(options.files, watch, studying)
    return int(failures > 0)


def note(text: str) -> None:
    say(f"membrane study: {text}")


@dataclass(slots=True)
class Studying:
    client: "Membrane"
    options: Mapping[str, Any]
    """Of every study, such as `sensitivity`; a title or a source replaces the file's own."""
    console: Console
    as_json: bool = False
    document_ids: dict[str, str] = field(default_factory=dict)
    """The ids of the documents' topics, by the source of the file."""

    def study_files(self, files: Sequence[File]) -> int:
        """Study each file, and print the results; gives the number of files without success."""
        from membrane_client import BadRequest, Conflict, InvalidCall, PayloadTooLarge  # noqa: PLC0415 - help needs none

        refused = (BadRequest, Conflict, DomainError, InvalidCall, OSError, PayloadTooLarge)
        results: list[Study] = []
        try:
            for file in files:
                try:
                    results.append(self._study(file))
                except refused as error:
                    note(f"{file.path}: {getattr(error, 'strerror', None) or error}")
        finally:
            if results:
                counts = ("topics", "fields", "revisions", "unchanged", "withdrawn")
                headings = (*counts, "seconds", "state", "text", "id")
                print_all(results, headings, _row, as_json=self.as_json)
        return len(files) - sum(each.state == "done" for each in results)

    def _study(self, file: File) -> "Study":
        study = self.client.study(**request_of(file, self.options))
        steps = self.client.study_steps(study.id, every_s=1.0)
        try:
            for study in show_states(steps, file.source, self.console):  # noqa: B007 - the newest state
                pass
        finally:
            if not study.has_ended:
                note(f"{file.source}: study {study.id} goes on in the service: {words_of(study)}")
        self.document_ids[file.source] = study.document_id
        if study.state == "failed":
            note(f"{file.source}: study {study.id} failed: {study.reason or 'without a reason'}")
        return study


def request_of(file: File, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a study of the file; raises InvalidArgument and OSError."""
    content = read_document(file.path)
    own = {"document": content.text, "title": content.title, "source": file.source}
    asked = {**own, **options}
    if not is_well_formed(asked["source"]):
        raise InvalidArgument("the name of the file is not UTF-8; --source names the document")
    return asked


def list_files(files: Sequence[File], options: Mapping[str, Any], *, as_json: bool) -> int:
    """Show length, title and source of each file; gives the number of unreadable files."""
    rows: list[dict[str, Any]] = []
    for file in files:
        try:
            request = request_of(file, options)
        except (OSError, DomainError) as error:
            note(f"{file.path}: {getattr(error, 'strerror', None) or error}")
        else:
            about = {name: request[name] for name in ("title", "source")}
            rows.append({"characters": len(request["document"]), **about})
    if as_json:
        for row in rows:
            print_json(row)
    elif rows:
        print_rows(tuple(rows[0]), [tuple(map(str, row.values())) for row in rows])
    return len(files) - len(rows)


def _row(study: "Study") -> tuple[str, ...]:
    made = study.made
    counts = (made.topics, made.fields, made.revisions, made.unchanged, made.withdrawn)
    seconds = (study.updated_at - study.started_at).total_seconds()
    return (*map(str, counts), f"{seconds:.1f}", study.state, study.source, study.document_id)


def show_states(states: "Iterable[Study]", name: str, console: Console) -> "Iterator[Study]":
    """The states, each after it was shown; a line says a new state or stage alone."""
    with Progress(
        BarColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TextColumn("{task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as bars:
        bar = bars.add_task(printable(name), total=None, said="")
        before = ""
        for state in states:
            units, step = state.progress.paragraphs, step_of(state)
            done: Any = {"completed": units.done, "total": units.total or None}
            bars.update(bar, **done, said=words_of(state), refresh=True)
            if bars.disable and step != before:
                show_line(console, f"{name}: {words_of(state)}")
            before = step
            yield state


def words_of(state: "Study") -> str:
    units = state.progress.paragraphs
    counts = f", {units.done}/{units.total} paragraphs" if units.total else ""
    return step_of(state) + counts


def step_of(state: "Study") -> str:
    """The state of a job without numbers: of a running job, the stage."""
    if state.state == "waiting" and state.waits_until is not None:
        return f"waiting until {state.waits_until:%Y-%m-%d %H:%M} UTC"
    return state.stage if state.state == "running" else state.state


@dataclass(slots=True)
class Watch:
    """What the newest look found; a new stamp with an old digest is no change."""

    seen: dict[str, tuple[tuple[int, int], str]] = field(default_factory=dict)
    """By source the stamp, which is cheap to read, and the digest of the content.

    A stamp is the instant of the last write, and the size.
    """

    def look(self, files: Iterable[File]) -> tuple[list[File], list[str]]:
        """The files that are new or changed since the last look, and the sources that are gone."""
        changed, gone = [], {*self.seen}
        for file in files:
            gone.discard(file.source)
            try:
                if self._is_changed(file):
                    changed.append(file)
            except OSError:  # gone or unreadable meanwhile; the next look sees
                self.seen.pop(file.source, None)
        for source in gone:
            del self.seen[source]
        return changed, sorted(gone)

    def _is_changed(self, file: File) -> bool:
        status = file.path.stat()
        stamp = status.st_mtime_ns, status.st_size
        before = self.seen.get(file.source, ((0, 0), ""))
        if before[0] == stamp:
            return False
        with file.path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        self.seen[file.source] = stamp, digest
        return before[1] != digest


def study_changes(
    arguments: Sequence[Path],
    watch: Watch,
    studying: Studying,
    every_s: float = 2.0,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Look again and again, and study what is new or changed since the last look; never ends.

    During an outage of the service, the changed files stay to be studied. A trouble that lasts is
    noted once.
    """
    from membrane_client import ConnectionFailed, ServerError, TimedOut, TooManyRequests  # noqa: PLC0415 - help needs none

    outages = (ConnectionFailed, ServerError, TimedOut, TooManyRequests)
    trouble = ""
    while True:
        pause(every_s)
        before, trouble = trouble, ""
        try:
            changed, gone = watch.look(files_of(arguments, lambda _: None))
        except InvalidArgument as error:
            changed, gone, trouble = [], [], str(error)
        for source in gone:
            document_id = studying.document_ids.get(source)
            found = f"document_id {document_id}" if document_id else "its document_id"
            note(
                f"{source} is gone; the topics stay. POST /v1/studies/remove with {found} counts, "
                "and with dry_run false takes back, what rests on the document alone"
            )
        for file in changed:
            try:
                studying.study_files([file])
            except outages as error:
                watch.seen.pop(file.source, None)  # the file stays to be studied
                trouble = str(error)
        if trouble and trouble != before:
            note(f"{trouble}; trying again")
