"""An interpretation with the additions of a model, and the relations made from the additions.

A try that fails leaves the reason, and the next try waits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import ceil

from membrane.domain.capture import proposals
from membrane.domain.capture.acceptance import kept_words
from membrane.domain.capture.made_records import target_fields, with_status
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.model_failures import OutOfTokens
from membrane.domain.records.evidence import DERIVED_SEMANTIC, MENTIONS_ENTITY, REFERENCES_RECORD
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationFailure,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
    RelationCandidate,
)
from membrane.domain.records.records import MADE_BY_REVISIONS_ALONE, MemoryRecord, Relation

MAX_WAIT_S = 42_600
"""SQS hides a message for 12 hours at most, counted from the receive; a try takes minutes."""

WAITS_S = (120, 600, 3_600, 21_600)
"""The wait after the first failed try, after the second, and so on; then the last wait again."""

SPREAD_S = 900
"""Captures that wait for the tokens of the next day come back spread over this time."""

PATIENCE = timedelta(days=14)
"""How long a capture may wait for tokens, as long as SQS keeps a message."""


def failure_of(error: Exception) -> InterpretationFailure:
    """The reason code of a failed try, without a word of the model."""
    match error:
        case OutOfTokens():
            return InterpretationFailure.OUT_OF_TOKENS
        case ResourceExhausted():
            return InterpretationFailure.BUSY
        case Unavailable():
            return InterpretationFailure.UNAVAILABLE
        case proposals.MalformedProposal():
            return InterpretationFailure.MALFORMED
        case DomainError():
            return InterpretationFailure.NOT_WRITTEN
        case _:
            return InterpretationFailure.FAULT


def wait_after(tries: int, asked_s: int = 0) -> int:
    """Seconds to wait after `tries` failed tries, at least `asked_s` within MAX_WAIT_S."""
    usual_s = WAITS_S[min(tries, len(WAITS_S)) - 1]
    return min(max(usual_s, asked_s), MAX_WAIT_S)


def wait_for_tokens(now: datetime, spread_s: int) -> int:
    """Seconds until `spread_s` after the next midnight (UTC), MAX_WAIT_S at most."""
    next_day = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return min(ceil((next_day - now).total_seconds()) + spread_s, MAX_WAIT_S)


MAX_ADDED_RELATIONS = 24
"""Relations added by an interpretation: a relation takes up to three actions of a transaction."""

MAX_PARTS = 200
"""Elements of a list in an interpretation with additions."""

Targets = Mapping[str, MemoryType]
"""The memory types of the records that the capture may be linked to, by id."""

_OWN_PREDICATES = frozenset((MENTIONS_ENTITY, DERIVED_SEMANTIC, *MADE_BY_REVISIONS_ALONE))
"""Predicates that say more than a model can know, and do not count in a proposed relation."""


def with_additions(
    before: Interpretation,
    mentions: Sequence[Mention],
    accepted: proposals.Proposal,
    targets: Targets,
    facts: Mapping[str, proposals.ProposedFact],
) -> Interpretation:
    """The interpretation with resolved mentions, facts by id, and the rest of a proposal.

    Earlier parts of the interpretation stay: a mention or reference without a record gains the
    record, an equal name or reference is added once. Ids outside of `targets` do not count.
    """
    return with_status(
        before.model_copy(
            update={
                "mentions": _mentions(before.mentions, mentions, targets),
                "reference_candidates": _references(
                    before.reference_candidates, accepted.references, targets
                ),
                "relation_candidates": _relations(
                    before.relation_candidates, accepted.relations, facts, targets
                ),
                "topical_labels": _labels(
                    [*before.topical_labels, *(each.label for each in accepted.labels)]
                ),
            }
        )
    )


def with_failure(before: Interpretation, reason: InterpretationFailure) -> Interpretation:
    """The interpretation as the rules read it, with the reason why a model added nothing."""
    return before.model_copy(update={"status": InterpretationStatus.FAILED, "failure": reason})


def added_relations(
    record: MemoryRecord,
    interpretation: Interpretation,
    fact_ids: Iterable[str],
    targets: Targets,
    made_at: str,
) -> tuple[Relation, ...]:
    """The relations that the record lacks, at most MAX_ADDED_RELATIONS, facts first.

    The weight is the confidence, the highest where several parts make one relation. A part with the
    confidence 0 makes no relation: a relation with the weight 0 has no weight, and counts as 1.
    """
    known = {(each.predicate, each.target_id) for each in record.relations}
    weights = dict[tuple[str, str], float]()
    for predicate, target_id, weight in _ends(interpretation, fact_ids):
        end = predicate, target_id
        if weight and target_id in targets and target_id != record.id and end not in known:
            weights[end] = max(weight, weights.get(end, weight))
    return tuple(
        Relation(predicate=predicate, target_id=target_id, weight=weight, created_at=made_at)
        for (predicate, target_id), weight in [*weights.items()][:MAX_ADDED_RELATIONS]
    )


def _ends(
    interpretation: Interpretation, fact_ids: Iterable[str]
) -> Iterator[tuple[str, str, float]]:
    """Predicate, target and weight of the relations of an interpreted capture."""
    for fact_id in fact_ids:
        yield DERIVED_SEMANTIC, fact_id, 1.0
    for mention in interpretation.mentions:
        yield MENTIONS_ENTITY, mention.canonical_entity_id, mention.confidence
    for reference in interpretation.reference_candidates:
        target_id = reference.target_id
        yield REFERENCES_RECORD, target_id, reference.confidence
    for stated in interpretation.relation_candidates:
        target_id = stated.target_id
        yield stated.predicate, target_id, stated.confidence


def _mentions(
    known: Sequence[Mention], added: Sequence[Mention], targets: Targets
) -> tuple[Mention, ...]:
    by_term = {term_of(each.surface): each for each in known}
    for each in added:
        term, entity_id = term_of(each.surface), each.canonical_entity_id
        if targets.get(entity_id) is not MemoryType.ENTITY:
            entity_id = ""
        held = by_term.get(term)
        if held is None:
            by_term[term] = each.model_copy(update={"canonical_entity_id": entity_id})
        elif not held.canonical_entity_id and entity_id:
            confidence = max(held.confidence, each.confidence)
            found = {"canonical_entity_id": entity_id, "words": each.words}
            by_term[term] = held.model_copy(update={**found, "confidence": confidence})
    return tuple(by_term.values())[:MAX_PARTS]


def _references(
    known: Sequence[ReferenceCandidate],
    added: Sequence[proposals.ProposedReference],
    targets: Targets,
) -> tuple[ReferenceCandidate, ...]:
    by_ref = {each.ref: each for each in known}
    for each in added:
        if each.target_id in targets and not (each.ref in by_ref and by_ref[each.ref].resolved):
            by_ref[each.ref] = ReferenceCandidate(
                ref=each.ref,
                confidence=each.confidence,
                resolved=True,
                words=kept_words(each.words),
                **target_fields(each.target_id, targets[each.target_id]),
            )
    return tuple(by_ref.values())[:MAX_PARTS]


def _relations(
    known: Sequence[RelationCandidate],
    added: Sequence[proposals.ProposedRelation],
    facts: Mapping[str, proposals.ProposedFact],
    targets: Targets,
) -> tuple[RelationCandidate, ...]:
    """The known relations, the proposed relations and the relations to the facts, each once."""
    by_end = {(each.predicate, each.target_id): each for each in known}
    stated: list[tuple[str, str, proposals.Claim]] = [
        (each.predicate, each.target_id, each)
        for each in added
        if each.predicate not in _OWN_PREDICATES
    ]
    stated += [(DERIVED_SEMANTIC, fact_id, fact) for fact_id, fact in facts.items()]
    for predicate, target_id, claim in stated:
        if target_id in targets:
            candidate = RelationCandidate(
                predicate=predicate,
                confidence=claim.confidence,
                resolved=True,
                words=kept_words(claim.words),
                **target_fields(target_id, targets[target_id]),
            )
            by_end.setdefault((predicate, target_id), candidate)
    return tuple(by_end.values())[:MAX_PARTS]


def _labels(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels without repeats; the first writing of a label counts."""
    distinct: dict[str, str] = {}
    for label in labels:
        distinct.setdefault(term_of(label), label)
    return tuple(distinct.values())[:MAX_PARTS]
