"""Interpretations of captured content."""

from typing import Any

from hypothesis import strategies as st

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationFailure,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
    RelationCandidate,
)


def an_interpretation(*surfaces: str, **fields: Any) -> Interpretation:
    """An interpretation with mentions of the names."""
    mentions = tuple(Mention(surface=each, entity_kind="project") for each in surfaces)
    return Interpretation(
        **{"status": InterpretationStatus.TENTATIVE, "mentions": mentions, **fields}
    )


def interpretations(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Interpretation]:
    """Interpretations with any fields, made of the texts."""
    fractions = st.floats(0, 1)
    target = {
        "target_record_id": texts,
        "target_entity_id": texts,
        "confidence": fractions,
        "resolved": st.booleans(),
        "words": texts,
    }
    mentions = st.builds(
        Mention,
        surface=texts,
        entity_kind=texts,
        canonical_entity_id=texts,
        confidence=fractions,
        aliases=_tuples(texts),
        words=texts,
    )
    return st.builds(
        Interpretation,
        status=st.none() | st.sampled_from(InterpretationStatus),
        failure=st.none() | st.sampled_from(InterpretationFailure),
        summary=texts,
        proposed_type=st.none() | st.sampled_from(MemoryType),
        topical_labels=_tuples(texts),
        mentions=_tuples(mentions),
        relation_candidates=_tuples(st.builds(RelationCandidate, predicate=texts, **target)),
        reference_candidates=_tuples(st.builds(ReferenceCandidate, ref=texts, **target)),
        extraction_confidence=fractions,
    )


def _tuples(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(element, max_size=2).map(tuple)
