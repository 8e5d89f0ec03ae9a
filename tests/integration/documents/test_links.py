"""Every link of a document to a file of the repository, or to a heading, leads somewhere."""

import re
from pathlib import Path

import pytest

from tests.worlds.pages import PAGES, ROOT, Page

CLIENTS = [Page(path) for path in sorted(ROOT.glob("clients/*/README.md"))]
INTEGRATIONS = [Page(path) for path in sorted(ROOT.glob("integrations/*/README.md"))]


@pytest.mark.parametrize("page", [*PAGES, *CLIENTS, *INTEGRATIONS], ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Page) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", prose(page))

    assert [link for link in links if not leads_somewhere(page.path, *link)] == []


def leads_somewhere(source: Path, path: str, heading: str) -> bool:
    target = (source.parent / path) if path else source
    return target.is_file() and (not heading or heading in anchors(Page(target)))


def anchors(page: Page) -> list[str]:
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings]


def prose(page: Page) -> str:
    return re.sub(r"```.*?```", "", page.text, flags=re.DOTALL)
