"""Sets of records and of questions about them, with the records that answer each."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from membrane.domain.language.timestamps import normalise
from tests.fakes.clock import MORNING

FOLDER = Path(__file__).parent / "sets"
OWN = tuple(FOLDER / f"{name}.json" for name in ("agent_memory", "conversations"))
"""The project's own sets."""

USUAL_K = 10


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
    """The keys of the records that answer it."""
    k: int
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Records and questions about them."""

    name: str
    records: Sequence[Given]
    queries: Sequence[Query]

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


def read_set(path: Path) -> QuestionSet:
    """The set in a file: `{"records": [{"key", "rpc", ...}], "queries": [{"text", ...}]}`.

    Raises UnusableSet, also where two records have one key or nothing is expected of a question.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnusableSet(f"{path}: {error}") from error
    records = tuple(map(_given, content["records"]))
    twice = [key for key, count in Counter(each.key for each in records).items() if count > 1]
    if twice:
        raise UnusableSet(f"{path.name} has two records {twice[0]!r}")
    return QuestionSet(path.stem, records, tuple(map(_query, content["queries"])))


def _given(record: Mapping[str, Any]) -> Given:
    fields = {name: value for name, value in record.items() if name not in ("key", "rpc")}
    return Given(record["key"], record["rpc"], fields)


def _query(query: Mapping[str, Any]) -> Query:
    named = ("text", "expected", "k")
    fields = {name: value for name, value in query.items() if name not in named}
    if not query["expected"]:
        raise UnusableSet(f"nothing is expected of {query['text']!r}")
    return Query(query["text"], frozenset(query["expected"]), query.get("k", USUAL_K), fields)
