"""The plan of a study: the sections of the document, and the passages that a model reads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from membrane.domain.language.json_text import digest
from membrane.domain.language.names import normalise_text
from membrane.domain.study.hierarchy import PREAMBLE, Hierarchy, Level, Span, Unit
from membrane.domain.topics.titles import MAX_TITLE_CHARACTERS

BETWEEN = " › "  # noqa: RUF001 - the sign of a path, as readers know it
"""Between the titles of nested sections."""


class Section(NamedTuple):
    """A section with text of its own, or with sections in it."""

    number: int
    """From 1, in the order of the document."""
    path: tuple[str, ...]
    """The titles of the sections around, the outermost first, and its own; empty for text before
    the first heading, and for a document without headings."""
    occurrence: int
    """From 1: several sections may have one path."""
    parent: int
    """The number of the section around; 0 for the document."""
    paragraphs: tuple[Span, ...]
    sentences: int

    @property
    def span(self) -> Span:
        """The text of the section, without the sections in it."""
        if not self.paragraphs:
            return Span(0, 0)
        return Span(self.paragraphs[0].start, self.paragraphs[-1].end)


def units_of(sections: Sequence[Section]) -> Mapping[str, int]:
    """The number of units by level."""
    return {
        "sections": len(sections),
        "paragraphs": sum(len(each.paragraphs) for each in sections),
        "sentences": sum(each.sentences for each in sections),
    }


def plan_of(hierarchy: Hierarchy, title: str) -> Sequence[Section]:
    """The sections in order; an only outermost one with the title is the document itself."""
    units = [each for each in hierarchy.units if each.level is Level.SECTION]
    if not hierarchy.has_headings:
        paragraphs = [each for each in hierarchy.units if each.level is Level.PARAGRAPH]
        sentences = sum(each.level is Level.SENTENCE for each in hierarchy.units)
        return [Section(1, (), 1, 0, tuple(each.span for each in paragraphs), sentences)]
    return [*_sections(hierarchy, units, _document_itself(units, title))]


def title_of(title: str, section: Section) -> str:
    """The title of a section's topic: the titles of the sections around, then its own."""
    said = BETWEEN.join(section.path) or title
    if section.occurrence > 1:
        said = f"{said} ({section.occurrence})"
    return said[-MAX_TITLE_CHARACTERS:].strip()


def _document_itself(units: Sequence[Unit], title: str) -> Unit | None:
    outermost = [each for each in units if not each.parent and each.title != PREAMBLE]
    is_one = len(outermost) == 1 and normalise_text(outermost[0].title) == normalise_text(title)
    return outermost[0] if is_one else None


def _sections(
    hierarchy: Hierarchy, units: Sequence[Unit], document: Unit | None
) -> Iterator[Section]:
    numbers: dict[int, int] = {}
    """The numbers of sections by the numbers of their units; 0 for the document itself."""
    times: dict[tuple[str, ...], int] = {}
    number = 0
    for unit in units:
        paragraphs = _parts(hierarchy, unit, Level.PARAGRAPH)
        if unit is document and not paragraphs:
            numbers[unit.number] = 0
            continue
        path = _path(hierarchy, unit, document)
        times[path] = times.get(path, 0) + 1
        number += 1
        numbers[unit.number] = 0 if unit is document else number
        yield Section(
            number,
            path,
            times[path],
            numbers.get(unit.parent, 0),
            tuple(each.span for each in paragraphs),
            sum(len(_parts(hierarchy, each, Level.SENTENCE)) for each in paragraphs),
        )


def _parts(hierarchy: Hierarchy, unit: Unit, level: Level) -> Sequence[Unit]:
    parts = (hierarchy.units[each - 1] for each in hierarchy.parts.get(unit.number, ()))
    return [each for each in parts if each.level is level]


def _path(hierarchy: Hierarchy, unit: Unit, document: Unit | None) -> tuple[str, ...]:
    if unit.title == PREAMBLE and not unit.parent:
        return ()
    path = tuple(hierarchy.path_of(unit))
    return path[1:] if document is not None and _outermost(hierarchy, unit) is document else path


def _outermost(hierarchy: Hierarchy, unit: Unit) -> Unit:
    while unit.parent:
        unit = hierarchy.units[unit.parent - 1]
    return unit


def section_of(kept: Sequence[Any]) -> Section:
    """The section whose parts were kept as a list of JSON."""
    number, path, occurrence, parent, paragraphs, sentences = kept
    spans = tuple(Span(*each) for each in paragraphs)
    return Section(number, tuple(path), occurrence, parent, spans, sentences)


PASSAGE_CHARACTERS = 12_000
"""A section with more text is several passages; 3,000 tokens leave room in every model."""

SHOWN_OF_DIGEST = 12


class Passage(NamedTuple):
    """Paragraphs of one section that follow each other."""

    section: Section
    paragraphs: Sequence[Span]
    is_first: bool
    """Whether the passage begins its section."""

    @property
    def span(self) -> Span:
        return Span(self.paragraphs[0].start, self.paragraphs[-1].end)


def passages_of(sections: Sequence[Section]) -> Iterator[Passage]:
    """The passages in order; a section without text has none."""
    for section in sections:
        inside: list[Span] = []
        is_first = True
        for each in section.paragraphs:
            if inside and each.end - inside[0].start > PASSAGE_CHARACTERS:
                yield Passage(section, inside, is_first)
                inside, is_first = [], False
            inside.append(each)
        if inside:
            yield Passage(section, inside, is_first)


def digest_of(*texts: str) -> str:
    """The beginning of a SHA-256, in hex, over the text with the titles around."""
    return digest("passage", *texts).hex()[:SHOWN_OF_DIGEST]


THRESHOLD_CHARACTERS = 10_000
"""A longer message is a document (MemState, `MEMSTATE_CHAT_CHUNK_THRESHOLD_CHARS`)."""

LEAST_ROUNDS = 72
"""The least limit of the questions of phase A (`MEMSTATE_CHAT_CHUNK_PER_SEGMENT_TOOL_ROUNDS`)."""


def is_document(text: str) -> bool:
    """Whether the text, without white space around, is longer than the threshold."""
    return len(text.strip()) > THRESHOLD_CHARACTERS
