"""Sets of captures, with the mentions, links and facts that a careful reader finds in each.

A file is `{"reading": [rules], "scope", "entities": [{"key", "canonical_name", "primary_type",
"aliases", "identifiers"}], "captures": [{"key", "request", "mentions", "links", "facts"}],
"two_links": [{"text", "evidence": [keys of captures]}], "one_link": [the same]}`. The
reader's rules are in `reading`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from tests.bench.question_sets import FOLDER, Fold, UnusableSet
from tests.worlds.agreed import normalise

FORTNIGHT = FOLDER / "fortnight.json"
"""An agent's fortnight in one team: nicknames, renamed services, files, tickets and incidents."""

Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class EntityKey:
    """The set's name of an entity."""

    key: str


Value = EntityKey | str | int | float | bool | None
"""The subject or object of a fact: an entity, or a literal value."""


@dataclass(frozen=True, slots=True)
class ExpectedMention:
    """A name as it stands in a capture, and the key of the entity that bears the name."""

    surface: str
    entity: str


@dataclass(frozen=True, slots=True)
class ExpectedFact:
    """A fact that the fields of a capture state."""

    subject: Value
    predicate: str
    object: Value


@dataclass(frozen=True, slots=True)
class Capture:
    """The request of a capture, and the reader's findings."""

    key: str
    request: Mapping[str, Any]
    """`{id:KEY}` in a text stands for the id of the record of the capture KEY."""
    mentions: Sequence[ExpectedMention]
    links: Sequence[str]
    """The keys of the earlier captures that this capture refers to."""
    facts: Sequence[ExpectedFact]


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A question, and the keys of all captures that the answer needs."""

    text: str
    evidence: Sequence[str]


@dataclass(frozen=True, slots=True)
class CaptureSet:
    """Prior entities, captures in the order of time, and questions about the captures."""

    name: str
    scope: str
    entities: Sequence[Mapping[str, Any]]
    """Payloads of entity records, with the `key` of each."""
    captures: Sequence[Capture]
    judged: Sequence[Capture]
    """The captures of the fold, whose findings count; all captures are made."""
    two_links: Sequence[LinkedQuestion]
    one_link: Sequence[LinkedQuestion]
    fold: Fold = Fold.ALL

    @property
    def known_by(self) -> datetime:
        """A day after the last capture."""
        times = [normalise(capture.request["timestamp"]) for capture in self.captures]
        return max(map(datetime.fromisoformat, times)) + timedelta(days=1)


def read_capture_set(path: Path = FORTNIGHT, fold: Fold = Fold.ALL) -> CaptureSet:
    """The set in a file, with the captures and questions of the fold to judge by.

    Raises UnusableSet.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
        captures = [_capture(each) for each in content["captures"]]
        questions = [
            [LinkedQuestion(**each) for each in content[kind]] for kind in ("two_links", "one_link")
        ]
        return CaptureSet(
            path.stem,
            content["scope"],
            content["entities"],
            captures,
            _in_fold(captures, fold),
            _in_fold(questions[0], fold),
            _in_fold(questions[1], fold),
            fold,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnusableSet(f"{path}: {error!r}") from error


def _in_fold(all_of_them: Sequence[Each], fold: Fold) -> Sequence[Each]:
    """The first is for tuning, the second is held out, and so on by turns."""
    match fold:
        case Fold.TUNING:
            return all_of_them[::2]
        case Fold.HELD_OUT:
            return all_of_them[1::2]
        case Fold.ALL:
            return all_of_them


def _capture(given: Mapping[str, Any]) -> Capture:
    return Capture(
        given["key"],
        given["request"],
        [ExpectedMention(**each) for each in given["mentions"]],
        given["links"],
        [
            ExpectedFact(_value(each["subject"]), each["predicate"], _value(each["object"]))
            for each in given["facts"]
        ],
    )


def _value(given: Any) -> Value:
    return EntityKey(given["entity"]) if isinstance(given, Mapping) else given
