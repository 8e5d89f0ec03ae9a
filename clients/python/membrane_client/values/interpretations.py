"""What a capture read out of its content."""

from membrane_client.values.value import (
    Value,
    flag,
    number,
    optional_text,
    optional_word,
    parts,
    text,
    texts,
)
from membrane_client.values.words import InterpretationFailure, InterpretationStatus, MemoryType


class Mention(Value):
    surface = text()
    entity_kind = optional_text()
    canonical_entity_id = optional_text()
    """None = not resolved."""
    confidence = number(0.0)
    aliases = texts()
    words = optional_text()
    """The words on which a model rests the mention; None = no model added the mention."""


class RelationCandidate(Value):
    predicate = text()
    target_record_id = optional_text()
    target_entity_id = optional_text()
    confidence = number(0.0)
    resolved = flag(default=False)
    words = optional_text()


class ReferenceCandidate(Value):
    ref = text()
    target_record_id = optional_text()
    target_entity_id = optional_text()
    confidence = number(0.0)
    resolved = flag(default=False)
    words = optional_text()


class Interpretation(Value):
    status = optional_word(InterpretationStatus)
    failure = optional_word(InterpretationFailure)
    """Why no model could read the capture; None unless the status is `failed`."""
    summary = optional_text()
    proposed_type = optional_word(MemoryType)
    topical_labels = texts()
    mentions = parts(Mention)
    relation_candidates = parts(RelationCandidate)
    reference_candidates = parts(ReferenceCandidate)
    extraction_confidence = number(0.0)
