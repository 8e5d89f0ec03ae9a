"""Records of a talk, and their entries, to be searched."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.frequencies import Frequencies, counted, together
from membrane.domain.search.fusion import Weights
from membrane.domain.search.questions import Question, question_of
from membrane.domain.search.relevance import relevance
from membrane.domain.search.searchable import entry_of, searchable
from tests.builders.records import NOW, a_record_of, an_event
from tests.fakes.hashing import HashingEmbedder

EMBEDDER = HashingEmbedder(384)
WEIGHTS = Weights(dense=0.2)  # vectors of words tell little that the words do not
EVERY_TYPE = frozenset(MemoryType)
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


def of_days_later(number: int) -> str:
    """The timestamp of a session so many days after the first."""
    return rfc3339(SESSION + timedelta(days=number))


def frequencies_of(entries: Sequence[Entry]) -> Frequencies:
    sample = [(entry.sensitivity, unpack_terms(entry.terms)) for entry in entries]
    return together([counted(sample, len(sample))], Sensitivity.HYPER)


def asked(text: str) -> tuple[Question, Sequence[float]]:
    """A question and its vector."""
    return question_of(text, NOW), EMBEDDER.embed([text])[0]


def found(text: str, entries: Sequence[Entry], limit: int = 200) -> list[str]:
    """The ids that a search of all entries finds, the likeliest first."""
    ranked = Corpus.of(entries).likeliest(
        *asked(text),
        frequencies_of(entries),
        ceiling=Sensitivity.HYPER,
        types=EVERY_TYPE,
        limit=limit,
    )
    return [entries[place].record_id for _, place in ranked]


def ranked(text: str, entries: Sequence[Entry]) -> list[str]:
    """The ids of candidates by their fused score."""
    question, dense = asked(text)
    parts = relevance(question, dense, entries, [], frequencies_of(entries))
    scores = [WEIGHTS.score(each) for each in parts]
    order = sorted(range(len(entries)), key=lambda place: -scores[place])
    return [entries[place].record_id for place in order]


def parts_of(text: str, entries: Sequence[Entry]) -> dict[str, dict[str, float]]:
    """The parts of each candidate's score, by id."""
    question, dense = asked(text)
    parts = relevance(question, dense, entries, [], frequencies_of(entries))
    return {entry.record_id: each for entry, each in zip(entries, parts, strict=True)}
