"""The progress of an import, kept in the result object; the object is the checkpoint too."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane.table.items import LostRace
from membrane.usecases.ports.bucket import ImportObject, StoredText
from membrane.usecases.ports.world import World

IMPORTS = "imports/"
RESTORES = "restores/"
"""Exports to restore; the result of `restores/<name>` is at RESULTS + `restores/<name>.json`."""

RESULTS = "import-results/"
RESULT_END, PART = ".json", ".refused-"
REFUSALS_A_PART = 1_000
MAX_REASON_CHARACTERS = 500


class Status(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused line; the reason never repeats content of the line."""

    line: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The result object.

    Every REFUSALS_A_PART refusals move into a part object of their own; `refusals` holds the
    refusals after the last part. The refusals of one pass are in line order.
    """

    object: str
    version: str
    """The version of the content; the idempotency keys of the lines are derived from it."""
    etag: str
    """The ETag of the object; an import of another ETag begins at the first line."""
    put: str
    """S3's sequencer of the put that started the import; a later put has a greater one."""
    bytes_total: int
    status: Status
    started_at: str
    updated_at: str
    run: str
    """The id of the run at work; a run that finds the id of a different run stops."""
    reason: str = ""
    passes: int = 1
    """How often the import reads the object."""
    passes_done: int = 0
    bytes_done: int = 0
    """Of the present pass, as `lines`."""
    lines: int = 0
    created: int = 0
    replayed: int = 0
    blank: int = 0
    refused: int = 0
    refused_parts: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    frame: JsonObject = field(default_factory=dict)
    """The digest and the counts of the lines of an export so far, while they are checked."""

    @property
    def position(self) -> tuple[int, int]:
        """Grows with the work done."""
        return self.passes_done, self.bytes_done

    @property
    def is_complete(self) -> bool:
        """Whether all passes are done."""
        return self.passes_done == self.passes

    def after_pass(self) -> "Progress":
        """The next pass begins at the first line; after the last pass, the place stays."""
        done = replace(self, passes_done=self.passes_done + 1, frame={})
        if done.is_complete:
            return done
        return replace(done, bytes_done=0, lines=0)

    def counts(self) -> JsonObject:
        hidden = ("refusals", "frame")
        return {name: value for name, value in asdict(self).items() if name not in hidden}


@dataclass(slots=True)
class Ledger:
    """Saves the progress of one run, until a different run takes the import over."""

    world: World
    progress: Progress
    kept: StoredText | None

    def save(self, status: Status = Status.RUNNING, reason: str = "") -> None:
        """Write full parts, then the result; raises LostRace if a different run has taken over."""
        progress = self.progress
        while len(progress.refusals) >= REFUSALS_A_PART:
            progress = self._with_next_part(progress)
        self.progress = replace(
            progress, status=status, reason=reason, updated_at=rfc3339(self.world.now())
        )
        content = compact_json(asdict(self.progress)).encode()
        name, imports = result_name(progress.object), self.world.imports
        try:
            self.kept = imports.keep_next(name, content, self.kept)
        except LostRace:
            there = imports.result(name)
            newest = progress_of(there)
            if newest is not None and newest.run != progress.run:
                raise
            self.kept = imports.keep_next(name, content, there)  # only the reply was lost

    def _with_next_part(self, progress: Progress) -> Progress:
        number = len(progress.refused_parts) + 1
        name = part_name(progress.object, number, progress.run)
        part, rest = progress.refusals[:REFUSALS_A_PART], progress.refusals[REFUSALS_A_PART:]
        text = "".join(f"{compact_json(asdict(refusal))}\n" for refusal in part)
        self.world.imports.keep(name, text.encode())
        return replace(progress, refused_parts=(*progress.refused_parts, name), refusals=rest)


def result_name(key: str) -> str:
    return f"{RESULTS}{key.removeprefix(IMPORTS)}{RESULT_END}"


def is_result_of(name: str, key: str) -> bool:
    """Whether the name is of the result, or of a part of the result, of the import of the key."""
    beginning = f"{RESULTS}{key.removeprefix(IMPORTS)}"
    return name == beginning + RESULT_END or name.startswith(f"{beginning}{PART}")


def part_name(key: str, number: int, run: str) -> str:
    """The key of a part object, with the id of the run, so that two runs write different keys."""
    return f"{RESULTS}{key.removeprefix(IMPORTS)}{PART}{number:05d}-{run}.ndjson"


def progress_of(kept: StoredText | None) -> Progress | None:
    """The progress in a result object; None without an object or with an unreadable one."""
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


def first_progress(key: str, found: ImportObject | None, put: str, now: datetime) -> Progress:
    """The progress before the first line; `put` is the sequencer of the put."""
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


def resume_progress(before: Progress | None, start: Progress, put_at: datetime) -> Progress:
    """The checkpoint of an unfinished import of the same content; else `start`.

    The ETag identifies the content, because S3 computes the ETag; a version may come from the
    sender, and be wrong. A finished import without refusals stays finished when the same content
    was put again before the import was done.
    """
    if before is None or (before.etag, before.bytes_total) != (start.etag, start.bytes_total):
        return start
    if before.status is not Status.DONE:
        return replace(before, put=start.put, status=Status.RUNNING)
    # S3 gives the time of a put in whole seconds.
    done_at = datetime.fromisoformat(before.updated_at).replace(microsecond=0)
    if before.refused == 0 and put_at < done_at:
        return replace(before, put=start.put)
    return replace(start, version=before.version)


def is_later(put: str, other: str) -> bool:
    """Whether `put` came after `other`: S3's sequencers, hexadecimal and padded with zeros."""
    longest = max(len(put), len(other))
    return put.ljust(longest, "0") > other.ljust(longest, "0")
