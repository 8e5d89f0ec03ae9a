"""The text that sums up a query has MemState's spelling."""

import pytest

from membrane.domain.topics.showing.bundles import summary_text


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("", "''"),
        ("plain", "'plain'"),
        ("it's", '"it\'s"'),
        ('it\'s "so"', "'it\\'s \"so\"'"),
        ("two\nlines", "'two\\nlines'"),
        ("é 漢", "'é 漢'"),
    ],
)
def test_a_question_stands_there_as_python_spells_it(question: str, spelled: str) -> None:
    assert summary_text(question, []) == f"Top topics for {spelled}:"


def test_at_most_five_topics_are_named_each_on_its_line() -> None:
    found = [(f"id-{number}", f"Title {number}", number / 3) for number in range(7)]

    lines = summary_text("q", found).split("\n")

    assert len(lines) == 6
    assert lines[2] == "- id-1 'Title 1' sim=0.3333333333333333"


def test_without_a_similarity_there_is_none() -> None:
    assert summary_text("q", [("id", "T", None)]) == "Top topics for 'q':\n- id 'T' sim=None"
