"""Build the manual into a site with Sphinx; a warning is an error (`make docs`)."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Membrane Serverless"
extensions = ["myst_parser"]
exclude_patterns = ["_site"]
html_theme = "furo"
html_title = project
html_show_copyright = False
html_show_sphinx = False
myst_heading_anchors = 3
nitpicky = True


def setup(app: "Sphinx") -> None:
    app.connect("source-read", adapt_plain_markdown)


def adapt_plain_markdown(_: "Sphinx", page: str, source: list[str]) -> None:
    """Add the directives that the pages leave out, so that a page reads well without Sphinx.

    A link to a file outside docs/ becomes a download, and Sphinx checks that the file exists. The
    navigation has the order of the links in index.md.
    """
    source[0] = re.sub(r"\]\((\.\./[^)#]+)(#[^)]*)?\)", r"](path:\1)", source[0])
    if page == "index":
        pages = "\n".join(re.findall(r"\]\((\w[\w-]*)\.md\)", source[0]))
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
