"""The topics of a section: a long section is several pieces, each a topic."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.entities.known_names import known_spans, words_to_look_up
from membrane.domain.entities.names import disjoint_spans
from membrane.domain.entities.written import written_names
from membrane.domain.records.stored import id_within
from membrane.domain.study.hierarchy import Span
from membrane.domain.study.jobs import Job, document_kind
from membrane.domain.study.origins import Number, Origin, number_of, origin_in
from membrane.domain.study.plan import Section, title_of
from membrane.domain.topics.topic import Field, Revision, Topic, TopicStatus
from membrane.usecases.known_entities import names_in_view
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import NewTopic
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.loading import load_topics

PIECE_CHARACTERS = 1_500
"""A section with more text becomes several topics; docs/study.md has the measurement."""

MAX_NAMES = 50

SECTION_OF = "section_of"
"""The kind of the link from a section to the section around, or to the document."""

_PIECES_OF_BATCH = 100


class HeldParagraph(NamedTuple):
    """A paragraph of the edition before."""

    number: Number
    piece: int
    text: str
    """The text that the document brought last; the field may have been corrected since."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The topics of a section, by piece from 1, deleted ones included.

    An erased piece is never used again.
    """

    topics: Mapping[int, Topic]
    erased: frozenset[int]

    @property
    def next_free(self) -> int:
        return max([*self.topics, *self.erased], default=0) + 1


def piece_id(section: Section, piece: int, job: Job) -> str:
    """The id of a piece's topic, the same for each edition of the document."""
    path = (str(len(section.path)), *section.path, str(section.occurrence))
    return id_within(job.document, "section", *path, str(piece))


def new_piece(section: Section, piece: int, job: Job) -> NewTopic:
    """The attributes of the topic that is made for a piece."""
    title = title_of(job.title, section)
    return NewTopic(
        id=piece_id(section, piece, job),
        title=title if piece == 1 else f"{title} (part {piece})",
        kind=document_kind(job.document),
        summary=job.title,
    )


def load_pieces(section: Section, job: Job, work: Work) -> Pieces:
    """The pieces of the section, deleted ones included."""
    topics: dict[int, Topic] = {}
    erased: set[int] = set()
    span, first = section.span, 1
    several = min(2 + (span.end - span.start) // PIECE_CHARACTERS, _PIECES_OF_BATCH)
    trust, store = work.call.principal.trust, work.world.topics
    while True:
        numbers = range(first, first + several)
        ids = {piece_id(section, each, job): each for each in numbers}
        for topic_id, topic in load_topics(ids, trust, store, deleted=True).items():
            if topic.status is TopicStatus.ERASED:
                erased.add(ids[topic_id])
            else:
                topics[ids[topic_id]] = topic
        if numbers[-1] not in topics and numbers[-1] not in erased:
            return Pieces(dict(sorted(topics.items())), frozenset(erased))
        first = numbers[-1] + 1


def held_paragraphs(pieces: Pieces, job: Job, work: Work) -> Sequence[HeldParagraph]:
    """The paragraphs in the pieces, in the order of the section."""
    found = {
        (number, piece): HeldParagraph(number, piece, text)
        for piece, topic in pieces.topics.items()
        for name, field in topic.living_fields.items()
        if (number := number_of(name)) is not None
        and (text := _text_of(field, job, work)) is not None
    }
    return [each for _, each in sorted(found.items())]


def used_numbers(pieces: Pieces) -> frozenset[Number]:
    """The numbers of all paragraphs, those of deleted fields included."""
    every = (number_of(name) for topic in pieces.topics.values() for name in topic.fields)
    return frozenset(each for each in every if each is not None)


def names_in(text: str, job: Job, work: Work) -> list[str]:
    """The text's names in order, each once; one or two requests, see `names_in_view`."""
    words = words_to_look_up(text)
    view = names_in_view(words, job.scope, job.sensitivity, work.world)
    spans = disjoint_spans([*known_spans(text, view.by_word), *written_names(text)])
    found = dict.fromkeys(each.name or text[each.start : each.end] for each in spans)
    return [*found][:MAX_NAMES]


def origin_of(revision: Revision | None, job: Job) -> Origin | None:
    """The origin of the revision, if the revision comes from the job's document."""
    origin = None if revision is None else origin_in(revision.provenance)
    return origin if origin is not None and origin.document == job.document else None


def _text_of(field: Field, job: Job, work: Work) -> str | None:
    """The text that the document brought last; None for a field that the document did not write."""
    for revision in _newest_first(field, work):
        if origin_of(revision, job) is not None:
            return revision.value if isinstance(revision.value, str) else None
    return None


def _newest_first(field: Field, work: Work) -> Iterator[Revision]:
    if field.current is not None:
        yield field.current
    if field.history_length > 1:
        yield from history_of(field, work.world.topics, archived=True)


def paragraph_texts(section: Section, work: Work) -> Sequence[tuple[str, Span]]:
    """The paragraphs of the section with their places."""
    return [(work.text[each.start : each.end], each) for each in section.paragraphs]
