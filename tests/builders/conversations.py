"""Records of a talk, and their entries, to be searched."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import Question, question_of
from membrane.domain.search.relevance import relevance
from membrane.domain.search.score import Weights
from membrane.domain.search.searchable import entry_of, searchable
from tests.builders.records import NOW, a_record_of, an_event
from tests.fakes.clock import HashingEmbedder

EMBEDDER = HashingEmbedder(256)
SESSION = datetime(2025, 6, 3, 18, tzinfo=UTC)


def a_turn(said: str, *, number: int = 1, who: str = "Ann", **fields: Any) -> MemoryRecord:
    """What somebody said as turn so and so of a session; its id is `t` and the number."""
    told = {
        "ref": f"talk/D1:{number}",
        "timestamp": rfc3339(SESSION),
        "source": who,
        "summary": said,
        **fields,
    }
    record = a_record_of(an_event(**told), scope="")
    return record.model_copy(update={"id": f"t{number}"})


def a_talk(*said: tuple[str, str]) -> list[Entry]:
    """The entries of a session: who says what, turn by turn."""
    return [
        an_entry(a_turn(text, number=number, who=who)) for number, (who, text) in enumerate(said, 1)
    ]


def an_entry(record: MemoryRecord, **changes: Any) -> Entry:
    """What the search index has of a record."""
    found = searchable(record.model_copy(update=changes))
    return entry_of(record.model_copy(update=changes), found, EMBEDDER.embed([found.text])[0])


WORDS = ("tea", "cup", "garden", "piano", "cat", "river")
TURNS = st.tuples(
    st.sampled_from(["Ann", "Bob"]), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
)
TALKS = st.lists(TURNS, min_size=1, max_size=8).map(lambda said: a_talk(*said))
QUESTIONS = st.lists(st.sampled_from((*WORDS, "Ann", "Bob")), min_size=1, max_size=4).map(" ".join)


def of_days_later(number: int) -> str:
    """The timestamp of a session so many days after the first."""
    return rfc3339(SESSION + timedelta(days=number))


def asked(text: str) -> tuple[Question, Sequence[float]]:
    """A question and its vector."""
    return question_of(text, NOW), EMBEDDER.embed([text])[0]


def ranked(text: str, entries: Sequence[Entry]) -> list[str]:
    """The ids of candidates by the score of their parts."""
    scores = scores_of(text, entries)
    return sorted(scores, key=lambda each: (-scores[each], each))


def scores_of(text: str, entries: Sequence[Entry]) -> dict[str, float]:
    """The score of each candidate's parts, by id."""
    return {each: Weights().score(parts) for each, parts in parts_of(text, entries).items()}


def parts_of(text: str, entries: Sequence[Entry]) -> dict[str, dict[str, float]]:
    """The parts of each candidate's score, by id."""
    found = relevance(*asked(text), entries, Weights())
    return {entry.record_id: each.parts for entry, each in zip(entries, found, strict=True)}
