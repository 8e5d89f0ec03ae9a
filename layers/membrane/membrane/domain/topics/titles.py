"""Titles and kinds, which distinguish the topics of a scope; and the limits of names."""

import re
from typing import TYPE_CHECKING

from membrane.domain.language.json_text import digest
from membrane.domain.language.names import normalise_text

if TYPE_CHECKING:
    from membrane.domain.topics.topic import Topic

MAX_TITLE_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 256
"""The limit for the whole name of a field."""

CONTROL = "Cc"
"""Unicode's category of control characters, which no name of a field contains."""

UNTITLED = "untitled"
"""The title of a topic created without a title; says nothing of the subject."""


def is_untitled(title: str) -> bool:
    """Whether the title names nothing: untitled topics are never duplicates of each other."""
    return normalise_text(title) in ("", UNTITLED)


def title_key(scope: str, kind: str, title: str) -> bytes:
    """SHA-256 of scope, kind and normalised title, with unambiguous boundaries between them."""
    return digest("topic", scope, normalise_text(kind), normalise_text(title))


DOCUMENT = "document"
"""The kind of the topic that stands for a document."""

OF_DOCUMENT = "document:"
"""The beginning of the kind of the topics made of one document."""

OF_SESSION = "study:"
"""The beginning of the kind of the topics in the sandbox of one study."""


ORIGINS = ("study/text:", "study/model:")
"""The beginnings of the provenance of a value from a document; see `study.origins`."""


def is_of_study(kind: str) -> bool:
    """Whether the kind has the id of a document or of a study, and so says nothing."""
    return normalise_text(kind).startswith((OF_DOCUMENT, OF_SESSION))


def is_kept_apart(kind: str) -> bool:
    """Whether no topic of the kind is a duplicate.

    Two sections of a document, or the same section of two documents, may well be alike, and two
    documents may have one title: the source tells documents apart.
    """
    return is_of_study(kind) or normalise_text(kind) == DOCUMENT


def stands_for_document(topic: "Topic") -> bool:
    """Whether a study made the topic for a document: only the id leads to the topic.

    The values then come from the document with the topic's id. A caller may give the kind to topics
    for other ends, and such topics are found by their titles.
    """
    own = tuple(f"{each}{topic.id}/" for each in ORIGINS)
    return any(
        each.current is not None and each.current.provenance.startswith(own)
        for each in topic.fields.values()
    )


NAMES_FIELD = "names"
"""The field with the names that occur in a section of a document."""

PARAGRAPH = re.compile(r"p\d{4,9}(-\d{1,9})*")
"""The name of a field with a paragraph of a document; see `study.origins`."""


def says_nothing(name: str) -> bool:
    """Whether the name of a document's field says nothing about the value."""
    return name == NAMES_FIELD or PARAGRAPH.fullmatch(name) is not None
