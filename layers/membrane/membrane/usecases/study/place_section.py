"""Make topics of a section without a model: a piece is a topic, and a paragraph is a field.

A paragraph keeps its field in later editions. A changed paragraph becomes a revision, and a new
paragraph a field between the fields of its neighbours.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.study.alignment import align
from membrane.domain.study.hierarchy import Span, excerpt
from membrane.domain.study.jobs import Job
from membrane.domain.study.origins import Number, name_of, number_between
from membrane.domain.study.plan import Section
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.placing.observations import EdgeWrite
from membrane.domain.topics.titles import NAMES_FIELD
from membrane.domain.topics.topic import FieldType, Topic, TopicStatus
from membrane.usecases.machinery.calls import IsOutOfTime, never
from membrane.usecases.study.pieces import (
    PIECE_CHARACTERS,
    SECTION_OF,
    HeldParagraph,
    Pieces,
    held_paragraphs,
    load_pieces,
    names_in,
    new_piece,
    paragraph_texts,
    piece_id,
    used_numbers,
)
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import restore, was_left, write_topic

MOST_OF_PIECE = 2 * PIECE_CHARACTERS
"""A piece into whose midst a new edition inserts text grows up to this size."""

_TITLE_IN_WHY = 80


class PlacedParagraph(NamedTuple):
    """A paragraph of the new edition with its field."""

    text: str
    span: Span
    number: Number
    piece: int
    is_new: bool = False
    """Whether the field is made for the paragraph."""
    is_changed: bool = False
    """Whether the field gets the text as a new value."""


@dataclass(frozen=True, slots=True)
class PlacedSection:
    """A section of the new edition, with the paragraphs of the edition before."""

    section: Section
    pieces: Pieces
    held: Sequence[HeldParagraph]
    paragraphs: Sequence[PlacedParagraph]

    @property
    def by_piece(self) -> Mapping[int, Sequence[PlacedParagraph]]:
        """The paragraphs of each piece; a section without text has one piece."""
        found: dict[int, list[PlacedParagraph]] = defaultdict(list)
        for each in self.paragraphs:
            found[each.piece].append(each)
        if not found and not self.pieces.topics:
            found[self.pieces.next_free] = []
        return dict(sorted(found.items()))

    @property
    def left_out(self) -> Sequence[HeldParagraph]:
        """The paragraphs that the new edition does not have."""
        kept = {(each.piece, each.number) for each in self.paragraphs}
        return [each for each in self.held if (each.piece, each.number) not in kept]


def place_section(section: Section, job: Job, work: Work) -> PlacedSection:
    """The paragraphs with their fields; writes nothing."""
    pieces = load_pieces(section, job, work)
    held = held_paragraphs(pieces, job, work)
    return PlacedSection(
        section, pieces, held, list(_place_paragraphs(section, pieces, held, work))
    )


class WrittenSection(NamedTuple):
    """What was written of a section."""

    made: Counter[str]
    paragraphs: int
    """The paragraphs in the pieces that are finished."""
    is_whole: bool
    """Whether the time sufficed; else a repetition goes on."""


def write_section(
    placed: PlacedSection, job: Job, work: Work, is_out_of_time: IsOutOfTime = never
) -> WrittenSection:
    """Write what is new, at least one piece, and count; a repetition writes nothing a second time.

    A piece that a caller deleted stays deleted until its text changes. Raises as `write_topic`.
    """
    section, known = placed.section, placed.pieces.topics
    first = min([*known, *placed.by_piece])
    made: Counter[str] = Counter()
    done, is_begun = 0, False
    for piece, paragraphs in placed.by_piece.items():
        topic = known.get(piece)
        writes = list(_writes(paragraphs, topic, section, job, work))
        if topic is None or writes:
            if is_begun and is_out_of_time():
                return WrittenSection(made, done, is_whole=False)
            is_begun = True
        is_deleted = topic is not None and topic.status is TopicStatus.DELETED
        if topic is not None and is_deleted and (writes or was_left(topic)):
            restore(topic, work)
        if topic is None or writes:
            edges = [_link(section, piece, first, job, work)] if topic is None else []
            write_topic(new_piece(section, piece, job), writes, edges, job, work)
        made.update(_kind_of(each) for each in paragraphs)
        made["topics"] += topic is None
        done += len(paragraphs)
    return WrittenSection(made, done, is_whole=True)


def _kind_of(paragraph: PlacedParagraph) -> str:
    if paragraph.is_new:
        return "fields"
    return "revisions" if paragraph.is_changed else "unchanged"


def _place_paragraphs(
    section: Section, pieces: Pieces, held: Sequence[HeldParagraph], work: Work
) -> Iterator[PlacedParagraph]:
    texts = paragraph_texts(section, work)
    pairs = align([each.text for each in held], [text for text, _ in texts])
    partners = {new: held[old] for old, new in pairs}
    following = _following(partners, len(texts))
    sizes: Counter[int] = Counter()
    for new, held_before in partners.items():
        sizes[held_before.piece] += len(texts[new][0])
    used, next_free = set(used_numbers(pieces)), pieces.next_free
    before: Number | None = None
    piece: int | None = None
    home = min(pieces.topics, default=None)
    for at, (text, span) in enumerate(texts):
        partner = partners.get(at)
        if partner is not None:
            before, piece = partner.number, partner.piece
            is_changed = partner.text != text
            yield PlacedParagraph(text, span, before, piece, is_changed=is_changed)
            continue
        after = following[at]
        before = _free_number(before, after, used)
        if piece is None:
            piece = home if after is None else after.piece
        most = MOST_OF_PIECE if after is not None and after.piece == piece else PIECE_CHARACTERS
        if piece is None or (sizes[piece] and sizes[piece] + len(text) > most):
            piece, next_free = next_free, next_free + 1
        sizes[piece] += len(text)
        yield PlacedParagraph(text, span, before, piece, is_new=True)


def _following(
    partners: Mapping[int, HeldParagraph], positions: int
) -> Sequence[HeldParagraph | None]:
    """By position, the next held paragraph behind the position."""
    found: list[HeldParagraph | None] = []
    latest: HeldParagraph | None = None
    for at in reversed(range(positions)):
        found.append(latest)
        latest = partners.get(at, latest)
    return found[::-1]


def _free_number(before: Number | None, after: HeldParagraph | None, used: set[Number]) -> Number:
    """A number in order that no field has had."""
    limit = None if after is None else after.number
    number = number_between(before, limit)
    while number in used:
        number = number_between(number, limit)
    used.add(number)
    return number


def _writes(
    paragraphs: Sequence[PlacedParagraph],
    topic: Topic | None,
    section: Section,
    job: Job,
    work: Work,
) -> Iterator[FieldWrite]:
    """The new values of a piece, then the names in the whole piece; nothing without new values."""
    written = [each for each in paragraphs if each.is_new or each.is_changed]
    if not written:
        return
    for each in written:
        yield _write(name_of(each.number), each.text, each.span, section, job)
    names = names_in("\n\n".join(each.text for each in paragraphs), job, work)
    if names or (topic is not None and NAMES_FIELD in topic.living_fields):
        whole = Span(paragraphs[0].span.start, paragraphs[-1].span.end)
        yield _write(NAMES_FIELD, names, whole, section, job)


def _write(name: str, value: str | list[str], span: Span, section: Section, job: Job) -> FieldWrite:
    own = section.path[-1] if section.path else job.title
    place = f"characters {span.start} to {span.end}"
    return FieldWrite(
        name=name,
        value=value,
        field_type=FieldType.STRING if isinstance(value, str) else FieldType.LIST,
        provenance=str(job.origin(section.number, span)),
        why_changed=f"{excerpt(own, _TITLE_IN_WHY)}, {place}",
    )


def _link(section: Section, piece: int, first: int, job: Job, work: Work) -> EdgeWrite:
    """The link of a new piece: to the first piece, or to the section around."""
    if piece != first:
        return piece_id(section, first, job), SECTION_OF
    if not section.parent:
        return job.document, SECTION_OF
    return piece_id(work.sections[section.parent - 1], 1, job), SECTION_OF
