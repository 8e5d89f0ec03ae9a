"""The parts of a document: sections, paragraphs and sentences, in a plan and in a catalog."""

from collections.abc import Iterable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.study.catalog import (
    MAX_PROMPT_UNITS,
    MAX_UNITS,
    catalog_of,
    prompt_catalog,
)
from membrane.domain.study.hierarchy import (
    MAX_PARAGRAPH_CHARACTERS,
    Hierarchy,
    Level,
    front_matter_of,
    hierarchy_of,
)
from membrane.domain.study.plan import (
    PASSAGE_CHARACTERS,
    Section,
    passages_of,
    plan_of,
    section_of,
    title_of,
    units_of,
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


NESTED = """Before all.

# Guide

Welcome.

## Setup

First. Second.

### Linux

Apt.

## Setup

Again.
"""


def sections_of(document: str, title: str = "Manual") -> list[Section]:
    return [*plan_of(hierarchy_of(document), title)]


def test_sections_have_the_titles_around_them_as_path() -> None:
    paths = [each.path for each in sections_of(NESTED)]

    assert paths == [
        (),
        ("Guide",),
        ("Guide", "Setup"),
        ("Guide", "Setup", "Linux"),
        ("Guide", "Setup"),
    ]


def test_sections_of_one_path_are_told_apart_by_their_order() -> None:
    titles = [title_of("Manual", each) for each in sections_of(NESTED)]

    assert titles[2:] == ["Guide › Setup", "Guide › Setup › Linux", "Guide › Setup (2)"]  # noqa: RUF001


def test_a_section_names_the_section_around() -> None:
    assert [each.parent for each in sections_of(NESTED)] == [0, 0, 2, 3, 2]


def test_the_only_outermost_section_with_the_title_is_the_document_itself() -> None:
    document = "# Guide\n\nWelcome.\n\n## Setup\n\nFirst.\n"

    sections = sections_of(document, title="GUIDE")

    assert [each.path for each in sections] == [(), ("Setup",)]
    assert [each.parent for each in sections] == [0, 0]


def test_a_heading_without_text_is_a_section_unless_it_is_the_document() -> None:
    document = "# Guide\n\n## Part\n\n### Setup\n\nFirst.\n"

    assert [each.path for each in sections_of(document, "Guide")] == [("Part",), ("Part", "Setup")]
    assert sections_of(document, "Guide")[0].paragraphs == ()


def test_a_document_without_headings_is_one_section() -> None:
    [section] = sections_of("One. Two.\n\nThree.\n")

    assert (section.path, len(section.paragraphs), section.sentences) == ((), 2, 3)
    assert title_of("Manual", section) == "Manual"


def test_every_unit_is_in_the_plan() -> None:
    hierarchy = hierarchy_of(NESTED)

    assert sum(units_of(plan_of(hierarchy, "Manual")).values()) == len(hierarchy.units)


def test_a_plan_is_kept_as_json() -> None:
    sections = sections_of(NESTED)

    assert [section_of(list(each)) for each in sections] == sections


def test_passages_hold_every_paragraph_in_order_and_have_a_limit() -> None:
    paragraphs = "\n\n".join(f"{at} " + "x" * 3_000 for at in range(10))
    sections = sections_of(f"# Long\n\n{paragraphs}\n\n# Empty\n\n# Short\n\nEnd.\n")

    passages = list(passages_of(sections))

    inside = [each for passage in passages for each in passage.paragraphs]
    assert inside == [each for section in sections for each in section.paragraphs]
    assert all(each.span.end - each.span.start <= PASSAGE_CHARACTERS for each in passages)
    assert [each.is_first for each in passages] == [True, False, False, False, True]


SESSION = "0123456789-session"
LONG = "".join(f"# S{n}\n\nOne of {n}. Two of {n}.\n\n" for n in range(300))


def count(text: str) -> int:
    return len(text.split())


def test_the_catalog_lists_units_with_their_neighbours() -> None:
    catalog = catalog_of(hierarchy_of("# A\n\nOne. Two.\n\n# B\n\nThree.\n"), SESSION, count)

    first, paragraph, one, two, *_ = catalog["units"]
    assert (catalog["session_id"], catalog["truncated"]) == (SESSION, False)
    assert catalog["total_units"] == len(catalog["units"]) == 7
    assert first == {
        "id": "su_01234567_1",
        "level": 0,
        "level_name": "coarse",
        "parent_id": None,
        "token_count": 2,
        "context_before": "",
        "context_after": "Three.",
        "title": "A",
        "text_preview": "One. Two.",
    }
    assert (paragraph["parent_id"], paragraph["context_after"]) == ("su_01234567_1", "")
    assert (one["context_before"], one["context_after"]) == ("", "Two.")
    assert (two["level_name"], two["context_before"]) == ("fine", "One.")


def test_a_long_catalog_keeps_the_highest_levels_in_the_order_of_the_document() -> None:
    catalog = catalog_of(hierarchy_of(LONG), SESSION, count)

    levels = [each["level"] for each in catalog["units"]]
    numbers = [int(each["id"].rpartition("_")[2]) for each in catalog["units"]]
    assert (len(levels), levels.count(0), levels.count(2)) == (MAX_UNITS, 300, 0)
    assert catalog["truncated"] is True
    assert catalog["total_units"] == 1_200
    assert numbers == sorted(numbers)


def test_previews_and_contexts_are_cut_on_one_line() -> None:
    document = f"# A\n\n{'word ' * 200}\n\n# B\n\nx\ny\n"
    first, *_, last = catalog_of(hierarchy_of(document), SESSION, count)["units"]

    assert len(first["text_preview"]) == 401
    assert last["text_preview"] == "x y"


def test_the_catalog_of_a_prompt_is_a_list_of_lines() -> None:
    text = prompt_catalog(hierarchy_of("# A\n\nOne. Two.\n"), SESSION, count)

    assert text.splitlines() == [
        "Units of the document",
        f"session_id={SESSION}",
        "",
        "- [su_01234567_1] coarse tokens=2 parent=— title=A",
        "  preview: One. Two.",
        "",
        "- [su_01234567_2] medium tokens=2 parent=su_01234567_1",
        "  preview: One. Two.",
        "",
        "- [su_01234567_3] fine tokens=1 parent=su_01234567_2",
        "  after_neighbor: Two.",
        "  preview: One.",
        "",
        "- [su_01234567_4] fine tokens=1 parent=su_01234567_2",
        "  before_neighbor: One.",
        "  preview: Two.",
    ]


def test_a_cut_catalog_says_how_many_units_are_left_out() -> None:
    text = prompt_catalog(hierarchy_of(LONG), SESSION, count)

    assert text.count("- [su_") == MAX_PROMPT_UNITS
    assert text.splitlines()[-1].startswith("… 1000 more units: call study_unit_catalog")
