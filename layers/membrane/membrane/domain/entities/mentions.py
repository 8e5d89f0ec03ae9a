"""The mentions of a capture: names in fields first, then names in the text."""

from collections.abc import Iterator
from typing import Any

from membrane.domain.entities.known_names import KnownNames, known_spans
from membrane.domain.entities.spans import Span, disjoint
from membrane.domain.entities.structured import structured_mentions
from membrane.domain.entities.surfaces import first_mentions
from membrane.domain.entities.texts import text_of
from membrane.domain.entities.written import written_names
from membrane.domain.records.interpretation import Mention

WRITTEN_CONFIDENCE = 0.5
KNOWN_CONFIDENCE = 0.8
"""The confidence of a mention by the name of a known entity."""


def mentions_of(content: Any, context: Any, names: KnownNames) -> tuple[Mention, ...]:
    """What the content mentions, in the order of appearance, of equal names the first.

    `names` holds the known names that begin with the words_to_look_up of the text_of the capture.
    A mention of a known name has the id of the entity.
    """
    text = text_of(content, context)
    return first_mentions((*structured_mentions(content), *_mentions_in(text, names)))


def _mentions_in(text: str, names: KnownNames) -> Iterator[Mention]:
    written = written_names(text)
    kinds = {(span.start, span.end): span.kind for span in written}
    for span in disjoint((*known_spans(text, names), *written)):
        yield Mention(
            surface=text[span.start : span.end],
            entity_kind=kinds.get((span.start, span.end), ""),
            canonical_entity_id=span.entity_id,
            confidence=_confidence(span),
            aliases=span.aliases,
        )


def _confidence(span: Span) -> float:
    return KNOWN_CONFIDENCE if span.entity_id else WRITTEN_CONFIDENCE
