"""The sections of a document, with their paths."""

from membrane.domain.study.hierarchy import hierarchy_of
from membrane.domain.study.passages import PASSAGE_CHARACTERS, passages_of
from membrane.domain.study.plan import Plan, Section, plan_of, title_of

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
    return [*plan_of(hierarchy_of(document), title).sections]


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

    assert sum(plan_of(hierarchy, "Manual").units.values()) == len(hierarchy.units)


def test_a_plan_is_kept_as_json() -> None:
    plan = plan_of(hierarchy_of(NESTED), "Manual")

    assert list(Plan.of_json(plan.as_json()).sections) == list(plan.sections)


def test_passages_hold_every_paragraph_in_order_and_have_a_limit() -> None:
    paragraphs = "\n\n".join(f"{at} " + "x" * 3_000 for at in range(10))
    sections = sections_of(f"# Long\n\n{paragraphs}\n\n# Empty\n\n# Short\n\nEnd.\n")

    passages = list(passages_of(sections))

    inside = [each for passage in passages for each in passage.paragraphs]
    assert inside == [each for section in sections for each in section.paragraphs]
    assert all(each.span.end - each.span.start <= PASSAGE_CHARACTERS for each in passages)
    assert [each.is_first for each in passages] == [True, False, False, False, True]
