"""The interpretation of a capture without a model."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from membrane.domain.entities.known_names import KnownNames
from membrane.domain.entities.mentions import mentions_of
from membrane.domain.entities.references import references_of
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import Interpretation, InterpretationStatus

EXTRACTION_CONFIDENCE = 0.25
"""As in Membrane: no model has read the content."""

MAX_SUMMARY_CHARACTERS = 1_000
"""Characters of the content in a summary."""

_TYPES: Mapping[str, MemoryType] = MappingProxyType(
    {"working_state": MemoryType.WORKING, "observation": MemoryType.SEMANTIC}
)


def interpret(
    *,
    content: Any,
    context: Any = None,
    source_kind: str = "",
    summary: str = "",
    reason_to_remember: str = "",
    proposed_type: MemoryType | None = None,
    tags: Iterable[str] = (),
    names: KnownNames = MappingProxyType({}),
) -> Interpretation:
    """What the content mentions and refers to; tentative, since nothing is resolved.

    `names` holds the known names that begin with the words_to_look_up of the text_of the capture.
    """
    return Interpretation(
        status=InterpretationStatus.TENTATIVE,
        summary=summary.strip() or reason_to_remember.strip() or beginning_of(content),
        proposed_type=proposed_type or _TYPES.get(source_kind, MemoryType.EPISODIC),
        topical_labels=_labels(tags),
        mentions=mentions_of(content, context, names),
        reference_candidates=references_of(content, context),
        extraction_confidence=EXTRACTION_CONFIDENCE,
    )


def beginning_of(content: Any) -> str:
    """The first MAX_SUMMARY_CHARACTERS of the content as text: of a text, or of its JSON.

    Empty for a content that is missing.
    """
    if content is None:
        return ""
    text = content if isinstance(content, str) else compact_json(content)
    return text.strip()[:MAX_SUMMARY_CHARACTERS]


def _labels(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags, trimmed, none blank, of tags that differ in case the first."""
    labels = dict[str, str]()
    for tag in filter(None, map(str.strip, tags)):
        labels.setdefault(tag.casefold(), tag)
    return tuple(labels.values())
