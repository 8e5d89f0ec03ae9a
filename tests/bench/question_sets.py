"""Sets of records and of questions about them, with the records that answer each."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.fakes.clock import MORNING
from tests.worlds.agreed import normalise

FOLDER = Path(__file__).parent / "sets"
AGENT_MEMORY, CONVERSATIONS, SHORT_FACTS = OWN = tuple(
    FOLDER / f"{name}.json" for name in ("agent_memory", "conversations", "short_facts")
)
"""The project's own sets, on which weights are tuned."""
OTHER_LANGUAGES = FOLDER / "other_languages.json"
"""German and Spanish questions, about facts in the same language and in English."""

USUAL_K = 10


class Fold(StrEnum):
    """A part of a set's questions: what is tuned on one half is measured on the other."""

    TUNING = "tuning"
    HELD_OUT = "held-out"
    ALL = "all"


class UnusableSet(Exception):
    """A file that holds no set, or one that says nothing; the message is for who named it."""


@dataclass(frozen=True, slots=True)
class Given:
    """A record to be: a request of an ingest RPC, and what the set calls its record."""

    key: str
    rpc: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """A question; `fields` are what its request has beside the text."""

    text: str
    expected: frozenset[str]
    """The keys of the records that answer the question; none where no record does."""
    k: int
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Records and questions about them."""

    name: str
    records: Sequence[Given]
    queries: Sequence[Query]
    fold: Fold
    """The part of the file's questions that `queries` are."""

    @property
    def known_by(self) -> datetime:
        """A day after the last thing that a record tells of."""
        told = [each.fields["timestamp"] for each in self.records if each.fields.get("timestamp")]
        happened = [datetime.fromisoformat(normalise(timestamp)) for timestamp in told]
        return max(happened, default=MORNING) + timedelta(days=1)

    @property
    def complaints(self) -> Sequence[str]:
        """What is odd about the set: it makes a share of what is expected impossible to find."""
        keys = {each.key for each in self.records}
        absent = {key for query in self.queries for key in query.expected - keys}
        if not absent:
            return ()
        return (f"{self.name} expects {len(absent)} keys that no record has; they count as missed",)


def read_set(path: Path, fold: Fold = Fold.ALL) -> QuestionSet:
    """The set in a file: `{"records": [{"key", "rpc", ...}], "queries": [{"text", ...}]}`.

    Raises UnusableSet, also where two records have one key or the fold has no answered question.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnusableSet(f"{path}: {error}") from error
    records = tuple(map(_given, content["records"]))
    twice = [key for key, count in Counter(each.key for each in records).items() if count > 1]
    if twice:
        raise UnusableSet(f"{path.name} has two records {twice[0]!r}")
    queries = _folded(tuple(map(_query, content["queries"])), fold)
    if not any(query.expected for query in queries):
        raise UnusableSet(f"{path.name} has no question with an answer (fold: {fold})")
    return QuestionSet(path.stem, records, queries, fold)


def _folded(queries: Sequence[Query], fold: Fold) -> Sequence[Query]:
    """The first question is for tuning, the second is held out, and so on in turn."""
    match fold:
        case Fold.TUNING:
            return queries[::2]
        case Fold.HELD_OUT:
            return queries[1::2]
        case Fold.ALL:
            return queries


def _given(record: Mapping[str, Any]) -> Given:
    fields = {name: value for name, value in record.items() if name not in ("key", "rpc")}
    return Given(record["key"], record["rpc"], fields)


def _query(query: Mapping[str, Any]) -> Query:
    named = ("text", "expected", "k")
    fields = {name: value for name, value in query.items() if name not in named}
    return Query(query["text"], frozenset(query["expected"]), query.get("k", USUAL_K), fields)
