"""Read a capture without a model: names, references, summary and labels."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from membrane.domain.capture.made_records import statement_in
from membrane.domain.capture.named_fields import (
    CONFIDENCE,
    mentions_in_fields,
    references_in_fields,
)
from membrane.domain.capture.named_in_text import (
    Span,
    kind_by_look,
    known_names_in,
    refs_in,
    spans_in,
    without_overlaps,
    words_to_look_up,
)
from membrane.domain.capture.primary import OBSERVATION, WORKING_STATE, summary_of
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.captured import texts_in
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
)

MAX_MENTIONS = 16
"""Mentions of one capture: each takes up to three actions of the transaction."""

EXTRACTION_CONFIDENCE = 0.25
"""The confidence of an interpretation without a model, as in Membrane."""

_PROPOSED = {WORKING_STATE: MemoryType.WORKING, OBSERVATION: MemoryType.SEMANTIC}


class Reading(NamedTuple):
    """What a capture says by itself, before known records are looked up."""

    interpretation: Interpretation
    """With everything but the mentions."""
    fields: Sequence[Mention]
    """Mentions in the fields of the content."""
    text: str
    spans: Sequence[Span]
    """Names that the text marks."""
    stated: Sequence[str]
    """Subject and object of the fact that the content states."""
    refs: Sequence[str]
    """Words of the text that may be refs: references where a record has the ref, else nothing."""

    @property
    def terms(self) -> list[str]:
        """The terms of all names that were read."""
        surfaces = (*(each.surface for each in self.fields), *(each.surface for each in self.spans))
        return [*dict.fromkeys(map(term_of, (*surfaces, *self.stated)))]

    @property
    def words(self) -> Sequence[str]:
        """First words of names that the text may have."""
        return words_to_look_up(self.text)


def read_capture(request: CaptureMemory, content: Any, context: Any) -> Reading:
    text = "\n".join([*texts_in(content), *_results_in(content)]) or request.summary
    stated = statement_in(request, content)
    ends = () if stated is None else (stated.subject, stated.object)
    interpretation = Interpretation(
        status=InterpretationStatus.TENTATIVE,
        summary=summary_of(request, content),
        proposed_type=request.proposed_type
        or _PROPOSED.get(request.source_kind, MemoryType.EPISODIC),
        topical_labels=_labels(request.tags),
        reference_candidates=tuple(references_in_fields(content, context)),
        extraction_confidence=EXTRACTION_CONFIDENCE,
    )
    return Reading(
        interpretation,
        mentions_in_fields(content),
        text,
        spans_in(text),
        [each for each in ends if isinstance(each, str)],
        refs_in(text),
    )


def with_known_names(reading: Reading, known: Collection[str]) -> Interpretation:
    """The interpretation with mentions: of the fields first, then of the text, in order.

    `known` are terms that entities may bear; subject and object of a fact are mentions where they
    are names. Of overlapping names the longest counts, and equal
    names count once. More than MAX_MENTIONS are left out.
    """
    spans = without_overlaps([*reading.spans, *known_names_in(reading.text, known)])
    mentions = {term_of(each.surface): each for each in reading.fields}
    for each in (*_names_among(reading.stated, known), *spans):
        mention = Mention(surface=each.surface, entity_kind=each.kind, confidence=CONFIDENCE)
        mentions.setdefault(term_of(each.surface), mention)
    kept = tuple(mentions.values())[:MAX_MENTIONS]
    return reading.interpretation.model_copy(update={"mentions": kept})


def _names_among(stated: Sequence[str], known: Collection[str]) -> Iterator[Span]:
    """The stated subject and object that are names: known ones, and names by their look."""
    for each in stated:
        look = kind_by_look(each)
        if look is not None or term_of(each) in known:
            yield Span(0, len(each), each, look or "")


def with_references(interpretation: Interpretation, refs: Sequence[str]) -> Interpretation:
    """The interpretation with further references, from the text."""
    known = {each.ref for each in interpretation.reference_candidates}
    further = [
        ReferenceCandidate(ref=ref, confidence=CONFIDENCE) for ref in refs if ref not in known
    ]
    references = (*interpretation.reference_candidates, *further)
    return interpretation.model_copy(update={"reference_candidates": references})


def without_lost_names(interpretation: Interpretation, known: Collection[str]) -> Interpretation:
    """The interpretation without mentions that only a known name made, where no entity bears it.

    `known` are the terms that entities do bear.
    """
    kept = [
        each
        for each in interpretation.mentions
        if each.entity_kind or term_of(each.surface) in known
    ]
    return interpretation.model_copy(update={"mentions": tuple(kept)})


def _results_in(content: Any) -> list[str]:
    """The result of a tool, where the result is a text."""
    result = content.get("result") if isinstance(content, dict) else None
    return [result] if isinstance(result, str) else []


def _labels(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags trimmed, without blank ones and repeats in other case."""
    distinct: dict[str, str] = {}
    for tag in tags:
        if tag.strip():
            distinct.setdefault(tag.strip().casefold(), tag.strip())
    return tuple(distinct.values())
