"""The units of a document: sections, in them paragraphs, in them sentences.

The same document always gives the same units. No model takes part.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LANGUAGE = "en"
"""The language of the rules for abbreviations; other languages share most of the rules."""

MAX_PARAGRAPH_CHARACTERS = 8_000
"""A longer block, such as a table, becomes several paragraphs."""

TITLE_EXCERPT_CHARACTERS = 80
MAX_HEADING_CHARACTERS = 300
"""Titles repeat in every section below, and in the prompts."""

PREAMBLE = "(document)"
"""The title of the text before the first heading (MemState, `study_hierarchy.py`)."""


MAX_FRONT_MATTER_CHARACTERS = 8_000
"""A longer block at the beginning is text."""

_END = r"(?:\r\n|\r(?!\n)|\n)"  # one way to read each line end: linear time
_BLANK = rf"(?:[ \t]*{_END})*"
_COMMENTS = rf"(?:[ \t]*(?:#[^\r\n]*)?{_END})*"
_KEY = (
    r"(?:[ ]{0,3}[\w\"'][^\r\n:=]*(?::\s|=)"  # four blanks would begin code
    rf"|\[[^\r\n\[\]]+\][ \t]*{_END}"  # a table of TOML
    r"|[ ]{0,3}\{\s*(?:\"[^\"\r\n]*\"|'[^'\r\n]*')\s*:)"  # an object of JSON or YAML
)
_FRONT_MATTER = re.compile(
    rf"\A\ufeff?{_BLANK}(?P<mark>---|\+\+\+)(?:[ \t]*(?P<kind>ya?ml|toml|json))?[ \t]*{_END}"
    rf"(?P<text>{_COMMENTS}(?={_KEY}).*?){_END}(?:(?P=mark)|\.\.\.)[ \t]*(?=[\r\n]|\Z)",
    re.DOTALL,
)
_EMPTY_TOML = re.compile(
    rf"\A\ufeff?{_BLANK}(?P<mark>\+\+\+)[ \t]*(?P<kind>{_END})"
    rf"(?P<text>{_COMMENTS})(?P=mark)[ \t]*(?=[\r\n]|\Z)"
)
"""Comments alone between lines of `---` may be a heading between thematic breaks."""

_JSON_BEGINS = re.compile(rf"\A\ufeff?(?P<object>\{{[ \t]*{_END}\s*\")")
_TEXT_FOLLOWS = re.compile(rf"\A[ \t]*{_END}\s*[^\s{{\[,]")


class Level(IntEnum):
    """The depth of a unit; MemState's names are in `NAMES`."""

    SECTION = 0
    PARAGRAPH = 1
    SENTENCE = 2


NAMES = {Level.SECTION: "coarse", Level.PARAGRAPH: "medium", Level.SENTENCE: "fine"}


class Span(NamedTuple):
    """A part of the document, in characters from the beginning."""

    start: int
    end: int


class FrontMatter(NamedTuple):
    """The metadata at the beginning of a document, as Jekyll, Hugo and Obsidian read metadata."""

    text: Span
    """YAML, TOML or JSON, without the marks."""
    is_toml: bool
    end: int
    """Where the text of the document begins, in characters from the beginning."""


class Unit(NamedTuple):
    """A section, a paragraph or a sentence."""

    number: int
    """From 1, in the order of the document, a unit before its parts."""
    level: Level
    parent: int
    """The number of the unit around; 0 for none. A section may lie in a section."""
    span: Span
    """The text; of a section, the text up to the first heading in the section."""
    title: str = ""
    """The heading of a section, or the beginning of a section without a heading."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A document with its units."""

    document: str
    units: Sequence[Unit]
    parts: Mapping[int, Sequence[int]]
    """The numbers of the parts of a unit, by the unit's number; 0 stands for the document."""
    has_headings: bool = True
    """Whether headings make the sections; else each paragraph is a section."""

    def siblings_of(self, unit: Unit) -> Sequence[int]:
        """The numbers of the units of the same level in the same unit, with the unit itself."""
        parts = self.parts[unit.parent]
        return [each for each in parts if self.units[each - 1].level is unit.level]

    def text_of(self, unit: Unit) -> str:
        """The text of the unit; the title of a section without a text of its own."""
        return self.document[unit.span.start : unit.span.end].strip() or unit.title

    def path_of(self, unit: Unit) -> Sequence[str]:
        """The titles of the sections around the unit, the outermost first, with its own."""
        titles: list[str] = []
        at = unit.number
        while at:
            around = self.units[at - 1]
            if around.level is Level.SECTION:
                titles.append(around.title)
            at = around.parent
        return titles[::-1]


BEFORE_ALL = 7
"""Deeper than every heading: a section of this depth ends with the next heading."""


class _Section(NamedTuple):
    """A section in the making."""

    title: str
    depth: int
    """1 to 6, as the heading says; BEFORE_ALL for a section that no section lies in."""
    span: Span
    blocks: Sequence[Span]


def hierarchy_of(document: str) -> Hierarchy:
    """The units of a document in Markdown or plain text.

    With headings, each heading begins a section, which lies in the section of the nearest heading
    above with fewer `#`. Without headings, each paragraph is a section. Headings in code fences
    are text. Front matter and thematic breaks are in no unit.
    """
    front = front_matter_of(document)
    begin = 0 if front is None else front.end
    blocks = list(_blocks(document, begin))
    has_headings = any(each.heading is not None for each in blocks)
    if has_headings:
        sections = _by_headings(document, blocks, begin)
    else:
        sections = _by_paragraphs(document, [each.span for each in blocks])
    return _hierarchy_of(document, sections, has_headings=has_headings)


def front_matter_of(document: str) -> FrontMatter | None:
    """Front matter within `---` or `+++`, or JSON as Hugo reads it; None without a key."""
    beginning = document[:MAX_FRONT_MATTER_CHARACTERS]
    found = _FRONT_MATTER.match(beginning) or _EMPTY_TOML.match(beginning)
    if found is None:
        return _json_front_matter(beginning)
    is_toml = found["mark"] == "+++" or found["kind"] == "toml"
    return FrontMatter(Span(*found.span("text")), is_toml, found.end())


def _json_front_matter(beginning: str) -> FrontMatter | None:
    """An object whose braces are alone on their lines; a text that is no JSON must follow."""
    found = _JSON_BEGINS.match(beginning)
    if found is None:
        return None
    start = found.start("object")
    try:
        _, end = json.JSONDecoder().raw_decode(beginning, start)
    except (RecursionError, ValueError):
        return None
    is_alone = beginning[start:end].removesuffix("}").rstrip(" \t").endswith(("\r", "\n"))
    if not is_alone or _TEXT_FOLLOWS.match(beginning[end:]) is None:
        return None
    return FrontMatter(Span(start, end), is_toml=False, end=end)


def hierarchy_within(document: str, title: str, paragraphs: Sequence[Span]) -> Hierarchy:
    """The units of paragraphs that lie in one section: the section, the paragraphs, the sentences.

    The paragraphs are not parsed again: a long fence of code may be several.
    """
    whole = Span(paragraphs[0].start, paragraphs[-1].end)
    section = _Section(title, BEFORE_ALL, whole, paragraphs)
    return _hierarchy_of(document, [section], has_headings=True)


def _hierarchy_of(
    document: str, sections: Iterable["_Section"], *, has_headings: bool
) -> Hierarchy:
    units = list(_units(document, sections))
    parts: dict[int, list[int]] = defaultdict(list)
    for each in units:
        parts[each.parent].append(each.number)
    return Hierarchy(document, units, parts, has_headings)


class _Block(NamedTuple):
    """A block of Markdown at the outermost level."""

    span: Span
    heading: str | None = None
    depth: int = 0


_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"\r\n?|\n")


@cache
def _parser() -> "MarkdownIt":
    """CommonMark without the reading of the text in blocks, which no unit needs."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few conversations study a document

    return MarkdownIt("commonmark").disable("inline")


def _blocks(document: str, begin: int) -> Iterator[_Block]:
    """The blocks from a place on; thematic breaks say nothing, and are no blocks."""
    starts = _line_starts(document)
    tokens = _parser().parse(_LINE.sub("", document[:begin]) + document[begin:])
    for at, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0 or token.type == "hr":
            continue
        first, last = token.map
        span = Span(starts[first], starts[min(last, len(starts) - 1)])
        if token.type == "heading_open":
            yield _Block(span, tokens[at + 1].content.strip(), int(token.tag[1]))
        elif document[span.start : span.end].strip():
            yield _Block(span)


def _line_starts(document: str) -> Sequence[int]:
    """The position of each line as CommonMark counts, then the length of the document."""
    return [0, *(each.end() for each in _LINE_END.finditer(document)), len(document)]


def _by_headings(document: str, blocks: Sequence[_Block], begin: int) -> Iterator[_Section]:
    title, depth, start, end = PREAMBLE, BEFORE_ALL, begin, begin
    inside: list[Span] = []
    for each in blocks:
        if each.heading is None:
            inside.append(each.span)
            end = each.span.end
            continue
        if depth != BEFORE_ALL or inside:
            yield _Section(title, depth, Span(start, end), inside)
        said = each.heading or document[each.span.start : each.span.end]
        most = MAX_HEADING_CHARACTERS if each.heading else TITLE_EXCERPT_CHARACTERS
        title, depth = excerpt(said, most), each.depth
        start = end = each.span.end
        inside = []
    yield _Section(title, depth, Span(start, end), inside)


def _by_paragraphs(document: str, blocks: Sequence[Span]) -> Iterator[_Section]:
    if not blocks:
        yield _Section(PREAMBLE, BEFORE_ALL, Span(0, 0), [])
    for number, span in enumerate(blocks, 1):
        beginning = excerpt(document[span.start : span.end], TITLE_EXCERPT_CHARACTERS)
        yield _Section(f"Block {number}: {beginning}", BEFORE_ALL, span, [span])


def _units(document: str, sections: Iterable[_Section]) -> Iterator[Unit]:
    number = 0
    around: list[tuple[int, int]] = []
    """Depth and number of the sections that are open."""
    for section in sections:
        while around and around[-1][0] >= section.depth:
            around.pop()
        number += 1
        parent = around[-1][1] if around else 0
        around.append((section.depth, number))
        yield Unit(number, Level.SECTION, parent, section.span, section.title)
        of_section = number
        for paragraph in _paragraphs(document, section.blocks):
            number += 1
            yield Unit(number, Level.PARAGRAPH, of_section, paragraph)
            of_paragraph = number
            for sentence in _sentences(document, paragraph):
                number += 1
                yield Unit(number, Level.SENTENCE, of_paragraph, sentence)


def _paragraphs(document: str, blocks: Iterable[Span]) -> Iterator[Span]:
    """The blocks without white space around; a long block is cut behind a sentence or a line."""
    for block in blocks:
        span = _without_space(document, block)
        while span.end - span.start > MAX_PARAGRAPH_CHARACTERS:
            cut = _cut_of(document, span)
            yield _without_space(document, Span(span.start, cut))
            span = _without_space(document, Span(cut, span.end))
        if span.start < span.end:
            yield span


def _cut_of(document: str, span: Span) -> int:
    """Where a long block is cut: behind the last line, sentence or word that fits."""
    limit = span.start + MAX_PARAGRAPH_CHARACTERS
    for mark in ("\n", ". ", " "):
        found = document.rfind(mark, span.start + 1, limit)
        if found > span.start:
            return found + len(mark)
    return limit


_LINE_ENDS = str.maketrans("\r\n", "  ")
"""A line end within a paragraph ends no sentence; spaces in their place keep the positions."""


def _sentences(document: str, paragraph: Span) -> Iterator[Span]:
    from sentencex import segment  # noqa: PLC0415 - few conversations study a document

    at = paragraph.start
    one_line = document[paragraph.start : paragraph.end].translate(_LINE_ENDS)
    for each in segment(LANGUAGE, one_line):
        text = each.strip()
        if not text:
            continue
        start = paragraph.start + one_line.index(text, at - paragraph.start)
        at = start + len(text)
        yield Span(start, at)


def _without_space(document: str, span: Span) -> Span:
    text = document[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, max(start, span.start + len(text.rstrip())))


def excerpt(text: str, most: int) -> str:
    """The beginning on one line, `most` characters at most beside the mark of a cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
