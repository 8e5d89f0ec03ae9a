"""Kinds of topics whose making is the affair of a study: nothing else is merged into them."""

import re

OF_DOCUMENT = "document:"
"""The beginning of the kind of the topics made of one document."""

OF_SESSION = "study:"
"""The beginning of the kind of the topics in the sandbox of one study."""


def is_kept_apart(kind: str) -> bool:
    """Whether no topic of the kind is a duplicate, or takes an observation found to be alike.

    Two sections of a document, or the same section of two documents, may well be alike.
    """
    return kind.startswith((OF_DOCUMENT, OF_SESSION))


NAMES_FIELD = "names"
"""The field with the names that occur in a section of a document."""

PARAGRAPH = re.compile(r"p\d{4,9}(-\d{1,9})*")
"""The name of a field with a paragraph of a document; see `study.numbering`."""


def says_nothing(name: str) -> bool:
    """Whether the name of a document's field says nothing about the value."""
    return name == NAMES_FIELD or PARAGRAPH.fullmatch(name) is not None
