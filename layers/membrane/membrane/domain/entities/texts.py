"""The text of a captured content that is read for names."""

from collections.abc import Iterator
from typing import Any

MAX_SCANNED_CHARACTERS = 20_000
"""Characters of a capture that are read for names; the rest is stored, and not read."""

TEXT_KEYS = frozenset(
    {"text", "message", "summary", "content", "title", "body", "description", "result", "object"}
)
"""Fields of an object whose text is read for names. `object` is the object of a fact."""

_BLANK_LINE = "\n\n"


def text_of(content: Any, context: Any = None) -> str:
    """The texts of the content, then of the context, cut to MAX_SCANNED_CHARACTERS.

    A text counts whole; of an object, the texts under TEXT_KEYS count. A blank line, which no name
    crosses, parts two texts.
    """
    texts = [*_texts_in(content), *_texts_in(context)]
    return _BLANK_LINE.join(texts)[:MAX_SCANNED_CHARACTERS]


def _texts_in(value: Any) -> Iterator[str]:
    fields = value.items() if isinstance(value, dict) else ()
    texts = (
        [value] if isinstance(value, str) else [text for key, text in fields if key in TEXT_KEYS]
    )
    yield from (text[:MAX_SCANNED_CHARACTERS] for text in texts if isinstance(text, str))
