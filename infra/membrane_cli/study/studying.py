"""Studies of files, one after another, each followed to its end."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import is_well_formed
from membrane_cli.output import print_json, print_rows, printable
from membrane_cli.study.files import File
from membrane_cli.study.progress import show_states, words_of
from membrane_cli.study.reading import read_document

if TYPE_CHECKING:
    from membrane_client import Membrane, Study

EVERY_S = 1.0
"""Between two looks at a job."""

HEADINGS = (
    *("topics", "fields", "revisions", "unchanged", "withdrawn", "seconds"),
    *("state", "text", "id"),
)
"""In a terminal, the id of the document's topic stands beneath the name of the text."""


def note(text: str) -> None:
    """A line on standard error."""
    print(printable(f"membrane study: {text}"), file=sys.stderr, flush=True)


@dataclass(slots=True)
class Studying:
    """Studies files with one client and one set of options."""

    client: "Membrane"
    options: Mapping[str, Any]
    """Of every study, such as `sensitivity`; a title or a source replaces the file's own."""
    console: Console
    """For the progress, on standard error."""
    as_json: bool = False
    every_s: float = EVERY_S
    document_ids: dict[str, str] = field(default_factory=dict)
    """The ids of the documents' topics, by the source of the file."""

    def study_files(self, files: Sequence[File]) -> int:
        """Study each file, and print the results; gives the number of files without success."""
        results: list[Study] = []
        try:
            for file in files:
                results += self._study_or_note(file)
        finally:
            self._print(results)
        return len(files) - sum(each.state == "done" for each in results)

    def _study_or_note(self, file: File) -> "list[Study]":
        """The ended study; nothing but a note for a file that is unreadable or refused."""
        from membrane_client import BadRequest, Conflict, InvalidCall, PayloadTooLarge  # noqa: PLC0415 - help needs none

        try:
            return [self._study(file)]
        except OSError as error:
            note(f"{file.path}: {error.strerror or error}")
        except (BadRequest, Conflict, DomainError, InvalidCall, PayloadTooLarge) as error:
            note(f"{file.path}: {error}")
        return []

    def _study(self, file: File) -> "Study":
        study = self.client.study(**request_of(file, self.options))
        steps = self.client.study_steps(study.id, every_s=self.every_s)
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

    def _print(self, results: "Iterable[Study]") -> None:
        if self.as_json:
            for each in results:
                print_json(each.raw)
        elif rows := [_row(each) for each in results]:
            print_rows(HEADINGS, rows)


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
    shown_rows = []
    for file in files:
        try:
            request = request_of(file, options)
        except OSError as error:
            note(f"{file.path}: {error.strerror or error}")
        except DomainError as error:
            note(f"{file.path}: {error}")
        else:
            shown_rows.append(
                {
                    "characters": len(request["document"]),
                    "title": request["title"],
                    "source": request["source"],
                }
            )
    if as_json:
        for row in shown_rows:
            print_json(row)
    elif shown_rows:
        print_rows(tuple(shown_rows[0]), [tuple(map(str, row.values())) for row in shown_rows])
    return len(files) - len(shown_rows)


def _row(study: "Study") -> tuple[str, ...]:
    made = study.made
    counts = (made.topics, made.fields, made.revisions, made.unchanged, made.withdrawn)
    seconds = (study.updated_at - study.started_at).total_seconds()
    return (*map(str, counts), f"{seconds:.1f}", study.state, study.source, study.document_id)
