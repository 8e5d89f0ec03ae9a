"""The passages of a document that a model reads one at a time."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from membrane.domain.language.json_text import digest
from membrane.domain.study.hierarchy import Span
from membrane.domain.study.plan import Section

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
    """The beginning of a SHA-256 over the texts, in hex.

    For a passage, the titles around and the text: sections may have one text.
    """
    return digest("passage", *texts).hex()[:SHOWN_OF_DIGEST]


THRESHOLD_CHARACTERS = 10_000
"""A longer message is a document (MemState, `MEMSTATE_CHAT_CHUNK_THRESHOLD_CHARS`)."""

LEAST_ROUNDS = 72
"""The least limit of the questions of phase A (`MEMSTATE_CHAT_CHUNK_PER_SEGMENT_TOOL_ROUNDS`)."""


def is_document(text: str) -> bool:
    """Whether the text, without white space around, is longer than the threshold."""
    return len(text.strip()) > THRESHOLD_CHARACTERS
