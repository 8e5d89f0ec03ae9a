"""How far an import has come: its result object, which is its checkpoint too."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane.usecases.ports.bucket import ImportObject, StoredText
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

IMPORTS = "imports/"
RESULTS = "import-results/"
REFUSALS_A_PART = 1_000
MAX_REASON_CHARACTERS = 500


class Status(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused line; the reason never repeats what the line holds."""

    line: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The result object.

    Every REFUSALS_A_PART refusals move, in line order, into a part of their own: those named here
    are the ones after the last part.
    """

    object: str
    version: str
    """Of the content: the lines' keys are made from it."""
    etag: str
    """Of the object: another run begins amid no other one."""
    put: str
    """S3's sequencer of the put that started it: a later one is greater."""
    bytes_total: int
    status: Status
    started_at: str
    updated_at: str
    run: str
    """Who is at work: a run that finds another's name here leaves the rest to it."""
    reason: str = ""
    bytes_done: int = 0
    lines: int = 0
    created: int = 0
    replayed: int = 0
    blank: int = 0
    refused: int = 0
    refused_parts: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    def counts(self) -> JsonObject:
        return {name: value for name, value in asdict(self).items() if name != "refusals"}


@dataclass(slots=True)
class Ledger:
    """Keeps the progress of one run, for as long as no other run has taken over."""

    services: Services
    progress: Progress
    kept: StoredText | None

    def save(self, status: Status = Status.RUNNING, reason: str = "") -> None:
        """Write parts that are full, then the result; raises LostRace for a run that lost it."""
        progress = self.progress
        while len(progress.refusals) >= REFUSALS_A_PART:
            progress = self._with_next_part(progress)
        self.progress = replace(
            progress, status=status, reason=reason, updated_at=rfc3339(self.services.now())
        )
        content = compact_json(asdict(self.progress)).encode()
        name, imports = result_name(progress.object), self.services.imports
        try:
            self.kept = imports.keep_next(name, content, self.kept)
        except LostRace:
            there = imports.result(name)
            newest = progress_of(there)
            if newest is not None and newest.run != progress.run:
                raise
            self.kept = imports.keep_next(name, content, there)  # only a reply was lost

    def _with_next_part(self, progress: Progress) -> Progress:
        number = len(progress.refused_parts) + 1
        name = part_name(progress.object, number, progress.run)
        part, rest = progress.refusals[:REFUSALS_A_PART], progress.refusals[REFUSALS_A_PART:]
        text = "".join(f"{compact_json(asdict(refusal))}\n" for refusal in part)
        self.services.imports.keep(name, text.encode())
        return replace(progress, refused_parts=(*progress.refused_parts, name), refusals=rest)


def result_name(key: str) -> str:
    return f"{RESULTS}{key.removeprefix(IMPORTS)}.json"


def part_name(key: str, number: int, run: str) -> str:
    """Where a run keeps REFUSALS_A_PART refusals; no other run writes there."""
    return f"{RESULTS}{key.removeprefix(IMPORTS)}.refused-{number:05d}-{run}.ndjson"


def progress_of(kept: StoredText | None) -> Progress | None:
    """The progress that a result object holds; None where there is none that can be read."""
    if kept is None:
        return None
    try:
        given = parse_json(kept.content)
        normalise(given["updated_at"])
        taken = {
            "status": Status(given["status"]),
            "refused_parts": tuple(given["refused_parts"]),
            "refusals": tuple(Refusal(**refusal) for refusal in given["refusals"]),
        }
        return Progress(**{**given, **taken})
    except (InvalidArgument, AttributeError, KeyError, TypeError, ValueError):
        return None


def begun(key: str, found: ImportObject | None, put: str, now: datetime) -> Progress:
    there = found or ImportObject(bucket="", key=key, etag="", version="", size=0)
    return Progress(
        object=key,
        version=there.version,
        etag=there.etag,
        put=put,
        bytes_total=there.size,
        status=Status.RUNNING,
        started_at=rfc3339(now),
        updated_at=rfc3339(now),
        run="",
    )


def resumed(before: Progress | None, start: Progress, put_at: datetime) -> Progress:
    """From where an unfinished import of the same content stopped; else from the start.

    The ETag tells the content, since S3 makes it; of the version a sender may say what is not so.
    Nothing is left of what was put again while it was imported, if no line of it was refused.
    """
    if before is None or (before.etag, before.bytes_total) != (start.etag, start.bytes_total):
        return start
    if before.status is not Status.DONE:
        return replace(before, put=start.put, status=Status.RUNNING)
    done_at = datetime.fromisoformat(before.updated_at).replace(microsecond=0)  # as S3 tells time
    if before.refused == 0 and put_at < done_at:
        return replace(before, put=start.put)
    return replace(start, version=before.version)


def is_later(put: str, other: str) -> bool:
    """Whether one put came after another. S3's sequencers are hexadecimal; zeros may follow."""
    longest = max(len(put), len(other))
    return put.ljust(longest, "0") > other.ljust(longest, "0")
