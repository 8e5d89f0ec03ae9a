"""What differs between the steps of two runs, where names made by chance stand for one another."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from tests.compare.sides import Step

PAIRED = {
    "next_cursor": "names a place in the table, signed with a key of the table",
    "cursor": "names a place in the table, signed with a key of the table",
    "consistency_token": "names places in the table",
    "consistency_tokens": "names places in the table",
    "secret": "a key made by chance",
    "key_id": "of such a key, or of a signing key made by chance",
    "signature": "of content with ids and salts",
    "seen": "a filter of the ids that verification has seen",
    "resource": "names a port",
    "url": "signed with a key made by chance, and names a port",
    "apigw-requestid": "made by chance",
    "request_id": "made by chance",
    "sequencer": "of the bucket, by the machine's clock",
    "put": "such a sequencer",
}
"""Fields whose whole texts stand for one another, with the reason."""

NAMES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16,64}\b"
)
"""Ids, salts, and hashes of what has ids and salts: they stand for one another within any text."""

LEFT_OUT = {
    "date": "the machine's clock",
    "content-length": "the length of the body, which is compared",
}
"""Headers that are not compared, with the reason."""

ABSENT = "(absent)"
SHOWN = 300
"""Characters of a value, from just before the first that differs."""


@dataclass(frozen=True, slots=True)
class Difference:
    step: str
    place: str
    left: Any
    right: Any

    def __str__(self) -> str:
        left, right = (json.dumps(each, ensure_ascii=False) for each in (self.left, self.right))
        pairs = enumerate(zip(left, right, strict=False))
        first = max(0, next((at for at, (a, b) in pairs if a != b), 0) - SHOWN // 2)
        before, now = (each[first : first + SHOWN] for each in (left, right))
        return f"{self.step}\n  {self.place}\n    - {before}\n    + {now}"


@dataclass(slots=True)
class Comparison:
    """Two runs side by side; a name of one side stands for the same name of the other for good."""

    found: list[Difference] = field(default_factory=list)
    values: int = 0
    """The number of compared values."""
    rights: dict[str, str] = field(default_factory=dict)
    lefts: dict[str, str] = field(default_factory=dict)
    step: str = ""

    def of_runs(self, left: Sequence[Step], right: Sequence[Step]) -> "Comparison":
        """The comparison of all steps, up to the first request that one side alone made."""
        for number, (one, other) in enumerate(zip_longest(left, right), 1):
            known = one or other
            self.step = f"{number} {_request(known)}"
            if one is None or other is None:
                self._differ("request", one and one.method, other and other.method)
                break
            self._compare("request", "", _request(one), _request(other))
            for part in ("status", "headers", "body", "units"):
                self._compare(part, part, _part_of(one, part), _part_of(other, part))
        return self

    def _compare(self, place: str, name: str, left: Any, right: Any) -> None:
        match left, right:
            case dict(), dict():
                left = {self._key_on_the_right(each): value for each, value in left.items()}
                for each in sorted(left | right, key=lambda key: isinstance(right.get(key), dict)):
                    inside = name if name in PAIRED else each
                    self._compare(
                        f"{place}.{each}", inside, left.get(each, ABSENT), right.get(each, ABSENT)
                    )
            case list(), list():
                for number, pair in enumerate(_aligned(left, right)):
                    self._compare(f"{place}[{number}]", name, *pair)
            case str(), str():
                self.values += 1
                if not self._same_texts(name, left, right):
                    self._differ(place, left, right)
            case _:
                self.values += 1
                if left != right or type(left) is not type(right):
                    self._differ(place, left, right)

    def _same_texts(self, name: str, left: str, right: str) -> bool:
        if name in PAIRED:
            return ABSENT not in (left, right) and self._stand_for_one_another(left, right)
        if NAMES.sub("#", left) != NAMES.sub("#", right):
            return False
        pairs = zip(NAMES.findall(left), NAMES.findall(right), strict=True)
        return all(self._stand_for_one_another(*pair) for pair in pairs)

    def _key_on_the_right(self, key: str) -> str:
        """The key of a member on the right; the ids of a body's lists are known before."""
        return NAMES.sub(lambda found: self.rights.get(found[0], found[0]), key)

    def _stand_for_one_another(self, left: str, right: str) -> bool:
        return (
            self.rights.setdefault(left, right) == right
            and self.lefts.setdefault(right, left) == left
        )

    def _differ(self, place: str, left: Any, right: Any) -> None:
        self.found.append(Difference(self.step, place, left, right))


def _aligned(left: list[Any], right: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The elements side by side; in lists of different lengths, equal elements stand together."""
    if len(left) == len(right):
        yield from zip(left, right, strict=True)
        return
    one, other = ([NAMES.sub("#", json.dumps(each)) for each in side] for side in (left, right))
    for _, left_from, left_to, right_from, right_to in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        several = left[left_from:left_to], right[right_from:right_to]
        yield from zip_longest(*several, fillvalue=ABSENT)


def units_of(steps: Sequence[Step]) -> dict[str, float]:
    """The units of all steps."""
    kinds = sorted({kind for each in steps for kind in each.units})
    return {kind: sum(each.units.get(kind, 0) for each in steps) for kind in kinds}


def notes_on_calls(left: Sequence[Step], right: Sequence[Step]) -> Iterator[str]:
    """Operations whose number of calls differs: a note, since calls may change."""
    runs = [[call for each in steps for call in each.calls.items()] for steps in (left, right)]
    for name in sorted({name for run in runs for name, _ in run}):
        one, other = (sum(number for each, number in run if each == name) for run in runs)
        if one != other:
            yield f"note: {name}: {one} calls, now {other}"


def _part_of(step: Step, part: str) -> Any:
    found = getattr(step, part)
    if part != "headers":
        return found
    return {name: text for name, text in found.items() if name not in LEFT_OUT}


def _request(step: Step) -> str:
    """Method and path; the query of a signed address names the machine's time and a signature."""
    path, _, query = step.path.partition("?")
    return f"{step.method} {path if 'X-Amz-Signature' in query else step.path}"
