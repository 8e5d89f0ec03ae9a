"""The glossary gives a word one meaning."""

from collections import Counter

from tests.worlds.pages import manual


def test_every_term_is_defined_once() -> None:
    rows = [line for line in manual("glossary").text.splitlines() if line.startswith("| ")]
    terms = Counter(row.split(" | ")[0].removeprefix("| ") for row in rows)
    del terms["Term"]

    assert [term for term, times in terms.items() if times > 1] == []
