"""The stored communities of a scope, for each sensitivity ceiling of a reader.

A hidden topic must not move visible topics from one community to another. So communities are
computed for each sensitivity in the scope, among the topics up to the sensitivity.
"""

import binascii
import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.language.json_text import JsonObject, digest
from membrane.domain.language.vocabulary import Sensitivity

KEPT_AS = "communities"

MAX_TOPICS = 20_000
"""The limit for a scope; the least salient topics beyond the limit have no community.

The document needs 5 bytes for each topic and 2 more for each sensitivity, and stays below the size
limit of an item, 400 KB.
"""

_MARK_BYTES = 5
_NUMBER = struct.Struct("<H")
_NONE = 0xFFFF


@dataclass(frozen=True, slots=True)
class Partition:
    made_at: str
    marks: Mapping[bytes, int]
    """Positions of topics, by a short digest of the topic's id."""
    levels: Mapping[Sensitivity, Sequence[int | None]]
    """For each ceiling, the community of each position; None for a topic above the ceiling."""

    @classmethod
    def of(
        cls,
        made_at: str,
        topic_ids: Sequence[str],
        levels: Mapping[Sensitivity, Sequence[int | None]],
    ) -> "Partition":
        marks = {_mark(topic_id): position for position, topic_id in enumerate(topic_ids)}
        return cls(made_at, marks, levels)

    @classmethod
    def from_json(cls, document: JsonObject) -> "Partition":
        """The stored partition; raises ValueError for a document not made by `as_json`."""
        try:
            marks = b64decode(document["marks"], validate=True)
            levels = {
                Sensitivity(word): _unpack(packed) for word, packed in document["levels"].items()
            }
            made_at = str(document["made_at"])
        except (KeyError, binascii.Error, zlib.error, struct.error) as error:
            raise ValueError("the communities of a scope are damaged") from error
        steps = range(0, len(marks), _MARK_BYTES)
        positions = {marks[at : at + _MARK_BYTES]: at // _MARK_BYTES for at in steps}
        return cls(made_at, positions, levels)

    def as_json(self) -> JsonObject:
        return {
            "made_at": self.made_at,
            "marks": b64encode(b"".join(self.marks)).decode(),
            "levels": {word: _pack(numbers) for word, numbers in self.levels.items()},
        }

    def community_of(self, topic_id: str, ceiling: Sensitivity) -> int | None:
        """The number of the community; None for a newer topic or a topic above the ceiling."""
        position = self.marks.get(_mark(topic_id))
        seen = [level for level in self.levels if level.level <= ceiling.level]
        if position is None or not seen:
            return None
        return self.levels[max(seen, key=lambda level: level.level)][position]


def _mark(topic_id: str) -> bytes:
    return digest("community", topic_id)[:_MARK_BYTES]


def _pack(numbers: Sequence[int | None]) -> str:
    joined = b"".join(_NUMBER.pack(_NONE if each is None else each) for each in numbers)
    return b64encode(zlib.compress(joined, 9)).decode()


def _unpack(packed: str) -> Sequence[int | None]:
    unpacked = _NUMBER.iter_unpack(zlib.decompress(b64decode(packed, validate=True)))
    return [None if number == _NONE else number for (number,) in unpacked]
