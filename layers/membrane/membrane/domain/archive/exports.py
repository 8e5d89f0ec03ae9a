"""An export job: the state between two steps, and the name of the parts of the file."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import NamedTuple

from membrane.domain.archive.lines import Frame, Selection
from membrane.domain.language.json_text import JsonObject

EXPORTS = "exports/"
"""The prefix of the parts of exports in the bucket."""

MAX_PARTS = 3_000
"""The item of an export in the table names every part, and has at most 400 KB."""


class ExportState(StrEnum):
    """Whether the file is being written, is complete, or was given up."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Part(NamedTuple):
    """A part of the file: some lines, with line ends."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One export. `parts` in order make the file."""

    id: str
    selection: Selection
    fingerprint: str
    """SHA-256 of the request, in hex; empty without an idempotency key."""
    created_at: str
    updated_at: str
    expires_at_s: int
    """When the job and its file go, in seconds since 1970."""
    state: ExportState = ExportState.RUNNING
    reason: str = ""
    """Why the last run failed."""
    after: str | None = None
    """The start of the walk behind the last item whose lines are in a part."""
    frame: Frame = field(default_factory=Frame)
    """Of a file without keyed documents."""
    keyed_digest: str = ""
    """The digest in place of the frame's, should the first line say that there are documents."""
    parts: tuple[Part, ...] = ()
    begun: tuple[str, ...] = ()
    """The names of objects that killed runs may have written, beside those of `parts`."""

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of all objects that runs may have written."""
        return (*(part.name for part in self.parts), *self.begun)

    def as_json(self) -> JsonObject:
        shown = {name: getattr(self, name) for name in self.__slots__ if name != "frame"}
        return shown | {
            "selection": self.selection.as_json(),
            **asdict(self.frame),
            "parts": [list(part) for part in self.parts],
            "begun": list(self.begun),
        }

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Export":
        """The inverse of `as_json`."""
        frame = {name: kept[name] for name in Frame.__slots__}
        rest = {name: value for name, value in kept.items() if name not in frame}
        rest |= {
            "selection": Selection.of_json(kept["selection"]),
            "state": ExportState(kept["state"]),
            "parts": tuple(Part(*part) for part in kept["parts"]),
            "begun": tuple(kept["begun"]),
        }
        return cls(**rest, frame=Frame(**frame))


def part_name(export_id: str, number: int, token: str) -> str:
    """The object of a part; two runs at once write different objects by their tokens."""
    return f"{EXPORTS}{export_id}/{number:05d}-{token}.ndjson"
