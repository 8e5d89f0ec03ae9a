"""The documents of the repository, and the snippets in them."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Snippet:
    """A fenced block: its language and its text."""

    language: str
    text: str


def snippets_of(text: str) -> list[Snippet]:
    """The fenced blocks of a text in Markdown."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [Snippet(*each) for each in found]


@dataclass(frozen=True)
class Page:
    """A Markdown file of the repository."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def snippets(self) -> list[Snippet]:
        return snippets_of(self.text)

    def section(self, title: str) -> str:
        """The text below a heading, up to the next heading of the first or second rank."""
        below = rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)"
        (found,) = re.findall(below, self.text, re.DOTALL | re.MULTILINE)
        return str(found[1])


def manual(name: str) -> Page:
    """A page of docs/."""
    return Page(ROOT / "docs" / f"{name}.md")


README = Page(ROOT / "README.md")
INFRA = Page(ROOT / "infra" / "README.md")
MANUAL = [Page(path) for path in sorted((ROOT / "docs").glob("*.md"))]
PAGES = [README, INFRA, *MANUAL]
