"""`membrane study --watch`: what is new or changed is studied again, until Ctrl-C."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane_cli.study.files import File, files_of
from membrane_cli.study.studying import Studying, note

EVERY_S = 2.0
"""Between two looks at the files."""


class Stamp(NamedTuple):
    """What a change of a file usually changes; cheap to read."""

    modified_ns: int
    size: int


@dataclass(slots=True)
class Watch:
    """What the newest look found, by source; a new stamp with an old digest is no change."""

    stamps: dict[str, Stamp] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def look(self, files: Iterable[File]) -> tuple[list[File], list[str]]:
        """The files that are new or changed since the last look, and the sources that are gone."""
        changed, gone = [], {*self.stamps}
        for file in files:
            gone.discard(file.source)
            try:
                if self._is_changed(file):
                    changed.append(file)
            except OSError:  # gone or unreadable meanwhile; the next look sees
                self.forget(file)
        for source in gone:
            del self.stamps[source], self.digests[source]
        return changed, sorted(gone)

    def forget(self, file: File) -> None:
        """Take the file for a new one at the next look."""
        self.stamps.pop(file.source, None)
        self.digests.pop(file.source, None)

    def _is_changed(self, file: File) -> bool:
        status = file.path.stat()
        stamp = Stamp(status.st_mtime_ns, status.st_size)
        if self.stamps.get(file.source) == stamp:
            return False
        with file.path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        before = self.digests.get(file.source)
        self.stamps[file.source], self.digests[file.source] = stamp, digest
        return before != digest


def study_changes(
    arguments: Sequence[Path],
    watch: Watch,
    studying: Studying,
    every_s: float = EVERY_S,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Look again and again, and study what is new or changed since the last look; never ends.

    During an outage of the service, the changed files stay to be studied. A trouble that lasts is
    noted once.
    """
    trouble = ""
    while True:
        pause(every_s)
        before, trouble = trouble, ""
        try:
            changed, gone = watch.look(files_of(arguments, lambda _: None))
        except InvalidArgument as error:
            changed, gone, trouble = [], [], str(error)
        for source in gone:
            note(_removal_hint(source, studying.document_ids.get(source)))
        for file in changed:
            trouble = _study(file, studying, watch) or trouble
        if trouble and trouble != before:
            note(f"{trouble}; trying again")


def _study(file: File, studying: Studying, watch: Watch) -> str:
    """Study the file; during an outage gives the reason, and the file counts as new."""
    from membrane_client import ConnectionFailed, ServerError, TimedOut, TooManyRequests  # noqa: PLC0415 - help needs none

    try:
        studying.study_files([file])
    except (ConnectionFailed, ServerError, TimedOut, TooManyRequests) as error:
        watch.forget(file)
        return str(error)
    return ""


def _removal_hint(source: str, document_id: str | None) -> str:
    found = f"document_id {document_id}" if document_id else "its document_id"
    return (
        f"{source} is gone; the topics stay. POST /v1/studies/remove with {found} counts, and with "
        "dry_run false takes back, what rests on the document alone"
    )
