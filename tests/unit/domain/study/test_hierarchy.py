"""The units of a document: sections by headings, paragraphs by blocks, sentences."""

from collections.abc import Iterable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.study.hierarchy import (
    MAX_PARAGRAPH_CHARACTERS,
    Hierarchy,
    Level,
    front_matter_of,
    hierarchy_of,
)

MANUAL = """\
Read this first. Dr. Smith did.

# Pumps

Pumps move water.
They need power!

```sh
# no heading

run pump
```

## Small pumps

- one

  two
- three

Valves
======

Valves stop water.
"""


def texts(hierarchy: Hierarchy, level: Level) -> list[str]:
    return [hierarchy.text_of(each) for each in hierarchy.units if each.level is level]


def titles(hierarchy: Hierarchy) -> list[str]:
    return [each.title for each in hierarchy.units if each.level is Level.SECTION]


def test_each_heading_begins_a_section_also_an_underlined_one() -> None:
    assert titles(hierarchy_of(MANUAL)) == ["(document)", "Pumps", "Small pumps", "Valves"]


def test_a_section_lies_in_the_section_of_the_heading_above() -> None:
    hierarchy = hierarchy_of(MANUAL)
    paths = {each.title: list(hierarchy.path_of(each)) for each in hierarchy.units if each.title}

    assert paths["(document)"] == ["(document)"]
    assert paths["Pumps"] == ["Pumps"]
    assert paths["Small pumps"] == ["Pumps", "Small pumps"]
    assert paths["Valves"] == ["Valves"]


def test_levels_may_be_skipped_and_come_back() -> None:
    hierarchy = hierarchy_of("## B\n\nb\n\n#### D\n\nd\n\n### C\n\nc\n\n# A\n\na\n")

    paths = {each.title: list(hierarchy.path_of(each)) for each in hierarchy.units if each.title}
    assert paths == {"B": ["B"], "D": ["B", "D"], "C": ["B", "C"], "A": ["A"]}


def test_a_code_fence_is_one_paragraph_without_headings() -> None:
    paragraphs = texts(hierarchy_of(MANUAL), Level.PARAGRAPH)

    assert "```sh\n# no heading\n\nrun pump\n```" in paragraphs
    assert "- one\n\n  two\n- three" in paragraphs


def test_sentences_end_neither_at_abbreviations_nor_at_line_ends() -> None:
    sentences = texts(hierarchy_of(MANUAL), Level.SENTENCE)

    assert sentences[:4] == [
        "Read this first.",
        "Dr. Smith did.",
        "Pumps move water.",
        "They need power!",
    ]


def test_without_headings_each_paragraph_is_a_section() -> None:
    hierarchy = hierarchy_of("First words.\n\nSecond words.\n")

    assert titles(hierarchy) == ["Block 1: First words.", "Block 2: Second words."]
    assert [each.parent for each in hierarchy.units if each.level is Level.SECTION] == [0, 0]


def test_a_long_beginning_is_an_excerpt_of_80_characters() -> None:
    (title,) = titles(hierarchy_of("word " * 40))

    assert title == f"Block 1: {('word ' * 40)[:80]}…"


@pytest.mark.parametrize("document", ["", "  ", "\n\n\r\n"])
def test_an_empty_document_is_one_empty_section(document: str) -> None:
    (unit,) = hierarchy_of(document).units

    assert (unit.level, unit.title) == (Level.SECTION, "(document)")


def test_a_section_without_a_text_has_the_text_of_its_title() -> None:
    hierarchy = hierarchy_of("# Alone\n\n# Next\n\ntext\n")

    alone, *_ = hierarchy.units
    assert hierarchy.text_of(alone) == "Alone"
    assert hierarchy.parts[alone.number] == []


def test_the_text_of_a_section_ends_with_the_next_heading() -> None:
    hierarchy = hierarchy_of(MANUAL)
    (pumps,) = (each for each in hierarchy.units if each.title == "Pumps")

    assert hierarchy.text_of(pumps).startswith("Pumps move water.")
    assert "Small pumps" not in hierarchy.text_of(pumps)


def test_a_long_block_becomes_several_paragraphs() -> None:
    line = "A line of a long table.\n"
    hierarchy = hierarchy_of(line * 1_000)

    paragraphs = texts(hierarchy, Level.PARAGRAPH)
    assert all(len(each) <= MAX_PARAGRAPH_CHARACTERS for each in paragraphs)
    assert "\n".join(paragraphs) == (line * 1_000).strip()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_give_the_same_units(end: str) -> None:
    usual, other = hierarchy_of(MANUAL), hierarchy_of(MANUAL.replace("\n", end))

    assert titles(other) == titles(usual)
    assert texts(other, Level.SENTENCE)[:4] == texts(usual, Level.SENTENCE)[:4]


PIECES = st.lists(
    st.sampled_from(
        [
            *("# A\n", "## B\n", "###### F\n", "text. More!\n", "\n", "```\n", "- x\n", "T\n===\n"),
            *(
                "\r",
                "    code\n",
                "> q\n",
                "<div>\n",
                "\t",
                "…",
                "\u2028",
                "水。",
                "\x0b",
                "a" * 9_000,
            ),
        ]
    ),
    max_size=30,
)


@given(PIECES)
def test_units_are_numbered_in_order_and_every_part_lies_in_its_unit(pieces: Iterable[str]) -> None:
    hierarchy = hierarchy_of("".join(pieces))

    for at, unit in enumerate(hierarchy.units, 1):
        assert unit.number == at
        assert 0 <= unit.span.start <= unit.span.end <= len(hierarchy.document)
        if unit.parent:
            around = hierarchy.units[unit.parent - 1]
            assert around.number < unit.number
            assert around.level is Level.SECTION or unit.level is Level.SENTENCE
        if unit.level is not Level.SECTION:
            around = hierarchy.units[unit.parent - 1]
            assert around.span.start <= unit.span.start <= unit.span.end <= around.span.end


@given(PIECES)
def test_no_word_is_in_no_sentence(pieces: Iterable[str]) -> None:
    hierarchy = hierarchy_of("".join(pieces))

    spans = [each.span for each in hierarchy.units if each.level is Level.SENTENCE]
    paragraphs = [each.span for each in hierarchy.units if each.level is Level.PARAGRAPH]
    for paragraph in paragraphs:
        left = set(range(paragraph.start, paragraph.end))
        for span in spans:
            left -= set(range(span.start, span.end))
        assert not "".join(hierarchy.document[at] for at in sorted(left)).strip()


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nNo key, but a rule.\n\n---\n",
        "---\n[Home](/) | [About](/about)\n---\n",
        "---\nSee https://membrane.example\n---\n",
        "---\ntitle: never closed\n",
        "----\ntitle: a long rule\n----\n",
        "---\n# A heading\n---\n",
        "---\n\n    code = 1\n---\n",
        "---\n{% include head %}\n---\n",
        '{\n  "only": "JSON"\n}\n',
        '{\n  "a": 1\n}\n{\n  "b": 2\n}\n',
        '{"a": 1}\nThe line above is JSON.\n',
        "Words first.\n\n---\ntitle: too late\n---\n",
    ],
)
def test_what_no_program_reads_as_front_matter_is_text(text: str) -> None:
    assert front_matter_of(text) is None
    assert texts(hierarchy_of(text), Level.PARAGRAPH) or titles(hierarchy_of(text))


@pytest.mark.parametrize("text", ["---" + " " * 7_990, "---\n" + "#\n" * 3_990, "\r\n" * 3_990])
def test_front_matter_is_looked_for_in_linear_time(text: str) -> None:
    before = process_time()

    assert front_matter_of(text) is None

    assert process_time() - before < 0.2


@pytest.mark.parametrize(
    ("metadata", "text", "is_toml"),
    [
        ("\n \n---\ntitle: Tea\n---\n", "title: Tea", False),
        ("---\n  title: Tea\n---\n", "  title: Tea", False),
        ("---yaml\ntitle: Tea\n---\n", "title: Tea", False),
        ('--- toml\ntitle = "Tea"\n---\n', 'title = "Tea"', True),
        ("+++\n+++\n", "", True),
        ("+++\n# a comment\n+++\n", "# a comment\n", True),
        ('---\n{"title": "Tea"}\n---\n', '{"title": "Tea"}', False),
        ('{\n\t"title": "Tea"\n}\n', '{\n\t"title": "Tea"\n}', False),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_front_matter_has_many_forms(metadata: str, text: str, end: str, *, is_toml: bool) -> None:
    document = f"{metadata}\n# Pumps\n\nPumps move water.\n".replace("\n", end)

    front = front_matter_of(document)

    assert front is not None
    found = document[slice(*front.text)]
    assert (found, front.is_toml) == (text.replace("\n", end), is_toml)
    assert titles(hierarchy_of(document)) == ["Pumps"]
    assert texts(hierarchy_of(document), Level.PARAGRAPH) == ["Pumps move water."]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closing", ["---", "..."])
def test_units_begin_behind_the_front_matter(end: str, closing: str) -> None:
    metadata = f"\ufeff---{end}# a comment{end}title: Tea{end}{closing}{end}"
    text = f"First words.{end}{end}# Pumps{end}{end}Pumps move water.{end}"

    hierarchy = hierarchy_of(metadata + text)

    front = front_matter_of(metadata + text)
    assert front is not None
    assert (metadata + text)[slice(*front.text)].splitlines() == ["# a comment", "title: Tea"]
    assert texts(hierarchy, Level.PARAGRAPH) == ["First words.", "Pumps move water."]
    assert hierarchy.text_of(hierarchy.units[0]) == "First words."
