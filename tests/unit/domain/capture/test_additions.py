"""What an accepted proposal adds to an interpretation, and the relations that come of it."""

from typing import Any

from membrane.domain.capture.acceptance import Accepted, accept_proposal
from membrane.domain.capture.additions import (
    MAX_ADDED_RELATIONS,
    added_relations,
    with_additions,
)
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
)
from membrane.domain.records.records import Relation
from tests.builders.proposals import fact, label, proposal, reference, relation
from tests.builders.stored_records import NOW, stored

CONTENT = "Ana: billing depends on Ledger and went down, see OPS-7 and OPS-8."
TARGETS = {
    "e-1": MemoryType.ENTITY,
    "e-2": MemoryType.ENTITY,
    "r-1": MemoryType.EPISODIC,
    "f-1": MemoryType.SEMANTIC,
}


def accepted(**lists: list[dict[str, Any]]) -> Accepted:
    return accept_proposal(proposal(**lists), list(TARGETS), CONTENT)


def known(surface: str, entity_id: str = "", confidence: float = 0.5) -> Mention:
    return Mention(surface=surface, canonical_entity_id=entity_id, confidence=confidence)


def test_new_names_follow_and_known_names_stay() -> None:
    before = Interpretation(mentions=(known("Ana", "e-1"),))

    after = with_additions(
        before, [known("ANA", "e-2"), known("Ledger", "e-2")], accepted(), TARGETS, {}
    )

    assert after.mentions == (known("Ana", "e-1"), known("Ledger", "e-2"))
    assert after.status is InterpretationStatus.RESOLVED


def test_a_name_without_an_entity_gains_the_entity() -> None:
    before = Interpretation(mentions=(known("Ana"),))

    after = with_additions(before, [known("ana", "e-1", 0.9)], accepted(), TARGETS, {})

    assert after.mentions == (known("Ana", "e-1", 0.9),)


def test_an_id_of_no_entity_in_view_leaves_the_name_unresolved() -> None:
    added = [known("Ana", "e-9"), known("Ledger", "r-1")]

    after = with_additions(Interpretation(), added, accepted(), TARGETS, {})

    assert after.mentions == (known("Ana"), known("Ledger"))
    assert after.status is InterpretationStatus.TENTATIVE


def test_a_reference_without_a_record_gains_the_record_and_a_known_one_stays() -> None:
    before = Interpretation(
        reference_candidates=(
            ReferenceCandidate(ref="OPS-7"),
            ReferenceCandidate(ref="OPS-8", target_record_id="r-1", resolved=True),
        )
    )
    proposed = [
        reference("r-1"),
        reference("e-1", ref="OPS-8", words="OPS-8"),
    ]

    after = with_additions(before, [], accepted(references=proposed), TARGETS, {})

    assert after.reference_candidates == (
        ReferenceCandidate(
            ref="OPS-7", target_record_id="r-1", confidence=0.7, resolved=True, words="OPS-7"
        ),
        ReferenceCandidate(ref="OPS-8", target_record_id="r-1", resolved=True),
    )


def test_relations_are_added_once_and_name_entities_and_records_apart() -> None:
    proposed = [relation("e-1"), relation("e-1", confidence=0.1), relation("r-1")]

    once = with_additions(Interpretation(), [], accepted(relations=proposed), TARGETS, {})
    twice = with_additions(once, [], accepted(relations=proposed), TARGETS, {})

    first, second = once.relation_candidates
    assert (first.target_entity_id, first.confidence, first.resolved) == ("e-1", 0.8, True)
    assert (second.target_record_id, second.target_entity_id) == ("r-1", "")
    assert twice == once


def test_the_words_stay_with_a_name_a_relation_and_a_fact_and_are_bounded() -> None:
    long = "depends on Ledger " * 20
    content = f"{CONTENT} {long}"
    proposed = proposal(relations=[relation("e-1", words=long)], facts=[fact()])
    found = accept_proposal(proposed, list(TARGETS), f"{content} Ana owns billing")
    named = Mention(surface="Ana", canonical_entity_id="e-2", words="Ana:")
    before = Interpretation(mentions=(known("Ana"),))

    after = with_additions(before, [named], found, TARGETS, {"f-1": found.facts[0]})

    assert after.mentions[0].words == "Ana:"
    related, stated = after.relation_candidates
    assert related.words == long.strip()[:200]
    assert (stated.predicate, stated.target_record_id) == ("derived_semantic", "f-1")
    assert (stated.words, stated.confidence) == ("Ana owns billing", 0.9)
    assert after.status is InterpretationStatus.RESOLVED


def test_a_fact_out_of_view_leaves_no_words() -> None:
    found = accept_proposal(proposal(facts=[fact()]), [], "Ana owns billing")

    after = with_additions(Interpretation(), [], found, TARGETS, {"f-9": found.facts[0]})

    assert after.relation_candidates == ()


def test_a_model_proposes_no_relation_that_the_service_makes() -> None:
    own = ["supersedes", "Contested_By", "mentions_entity", "derived_semantic"]
    proposed = [relation(predicate=each) for each in own]

    after = with_additions(Interpretation(), [], accepted(relations=proposed), TARGETS, {})

    assert after.relation_candidates == ()


def test_labels_are_added_without_regard_to_case() -> None:
    before = Interpretation(topical_labels=("Outage",))
    proposed = [label("outage"), label("billing")]

    after = with_additions(before, [], accepted(labels=proposed), TARGETS, {})

    assert after.topical_labels == ("Outage", "billing")


def test_the_record_gets_the_relations_that_it_lacks() -> None:
    held = Relation(predicate="mentions_entity", target_id="e-1", weight=1.0, created_at=NOW)
    record = stored("capture", relations=(held,)).record
    interpretation = with_additions(
        Interpretation(),
        [known("Ana", "e-1"), known("Ledger", "e-2")],
        accepted(references=[reference("r-1")], relations=[relation("e-2")]),
        {**TARGETS, "capture": MemoryType.EPISODIC},
        {},
    )

    added = added_relations(record, interpretation, ["f-1", "f-9"], TARGETS, NOW)

    assert [(each.predicate, each.target_id, each.weight) for each in added] == [
        ("derived_semantic", "f-1", 1.0),
        ("mentions_entity", "e-2", 0.5),
        ("references_record", "r-1", 0.7),
        ("depends_on", "e-2", 0.8),
    ]
    assert {each.created_at for each in added} == {NOW}


def test_a_part_of_no_confidence_stays_without_a_relation() -> None:
    interpretation = with_additions(
        Interpretation(),
        [known("Ana", "e-1", 0.0)],
        accepted(
            relations=[relation("e-2", confidence=0.0)],
            references=[reference("r-1", confidence=0.0)],
        ),
        TARGETS,
        {},
    )

    assert interpretation.mentions == (known("Ana", "e-1", 0.0),)
    assert interpretation.relation_candidates[0].confidence == 0.0
    assert interpretation.reference_candidates[0].confidence == 0.0
    assert added_relations(stored().record, interpretation, [], TARGETS, NOW) == ()


def test_of_several_names_of_an_entity_the_surest_gives_the_weight() -> None:
    named = [known("Ana", "e-1", 0.4), known("Petrova", "e-1", 0.9), known("she", "e-1", 0.2)]
    interpretation = with_additions(Interpretation(), named, accepted(), TARGETS, {})

    (added,) = added_relations(stored().record, interpretation, [], TARGETS, NOW)

    assert (added.target_id, added.weight) == ("e-1", 0.9)


def test_one_interpretation_adds_a_bounded_number_of_relations() -> None:
    targets = {f"e-{number}": MemoryType.ENTITY for number in range(60)}
    named = [known(f"name {each}", each) for each in targets]
    interpretation = with_additions(Interpretation(), named, accepted(), targets, {})

    added = added_relations(stored().record, interpretation, ["f-1"], targets, NOW)

    assert len(added) == MAX_ADDED_RELATIONS
