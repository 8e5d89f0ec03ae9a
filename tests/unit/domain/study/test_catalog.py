"""The catalog of units, whole and for a prompt."""

from membrane.domain.study.catalog import (
    MAX_PROMPT_UNITS,
    MAX_UNITS,
    catalog_of,
    prompt_catalog,
)
from membrane.domain.study.hierarchy import hierarchy_of

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
