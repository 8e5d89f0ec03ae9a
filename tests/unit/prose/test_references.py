"""A reference to a document or a file leads to a document or a file of the repository."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOTS = (
    *("layers", "functions", "infra", "clients", "integrations", "docs", "tests", ".ci"),
    *("README.md", "template.yaml", "Makefile", "pyproject.toml"),
)
SUFFIXES = frozenset({".py", ".pyi", ".md", ".yaml", ".toml", ".sh", ".ts", ".mjs", ".in", ""})
MADE = frozenset({"node_modules", "build", "dist", "_site", "__pycache__", "vendored"})

ABSENT_DOCUMENT = re.compile(
    r"\b(?:design|spec|seed|facts|review)s?(?: section)? \d"
    r"|\bdesign's|\bthe (?:published )?peers?\b|\bpeer's|\.\./shared(?!/cases)",
    re.IGNORECASE,
)
"""A citation of a paper that readers of the repository do not have."""

PUBLISHED_SUITES = Path("tests/adapters")
"""Names files in the source distributions of frameworks."""

PATH = re.compile(
    r"(?<![\w./<-])((?:docs|infra|layers|functions|clients|tests|requirements)/[\w./-]*\w\.[a-z]+)\b"
)


def texts() -> Iterator[tuple[Path, str]]:
    for root in map(Path, ROOTS):
        for file in [root] if root.is_file() else sorted(root.rglob("*")):
            if file.suffix in SUFFIXES and file.is_file() and not MADE.intersection(file.parts):
                yield file, file.read_text()


def found(pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    for file, text in texts():
        if file != Path(__file__).relative_to(Path.cwd()):
            yield from ((file, match[0]) for match in pattern.finditer(text))


@pytest.mark.parametrize("text", ["(design 4.4)", "see spec 2.1", "the peer's words", "Seed 000"])
def test_a_citation_of_an_absent_document_is_recognised(text: str) -> None:
    assert ABSENT_DOCUMENT.search(text)


def test_no_text_cites_a_document_that_is_not_in_the_repository() -> None:
    assert not [f"{file}: {words}" for file, words in found(ABSENT_DOCUMENT)]


def test_every_path_that_a_text_names_exists() -> None:
    assert not [
        f"{file}: {path}"
        for file, path in found(PATH)
        if not Path(path.removesuffix(".new")).exists() and PUBLISHED_SUITES not in file.parents
    ]
