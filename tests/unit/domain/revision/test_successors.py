"""What the new record of a revision takes from its sources."""

from typing import Any

import pytest

from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.vocabulary import MemoryType, RevisionStatus, Sensitivity
from membrane.domain.records.audit import first_broken
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.successors import (
    require_evidence,
    require_type,
    scope_among,
    sensitivity_among,
    successor,
    union,
    variant,
)
from tests.builders.records import NOW_TEXT, a_given_record, a_making, a_record_given
from tests.builders.revised_records import a_fact_in_store, in_store

WHY = Why("eval", "why")
MAKING = a_making(record_id="new")


def source(record_id: str, *, scope: str = "team", sensitivity: str = "low") -> StoredRecord:
    """A fact of that id."""
    stored = a_fact_in_store(id=record_id, sensitivity=sensitivity)
    placed = stored.record.model_copy(update={"id": record_id, "scope": scope})
    return StoredRecord(placed, stored.anchor, 1, b"")


def new(**fields: Any) -> MemoryRecord:
    return a_record_given(a_given_record(**fields))


def edges(record: MemoryRecord) -> list[tuple[str, str]]:
    return [(each.predicate, each.target_id) for each in record.relations]


def test_a_successor_names_what_it_replaces_which_is_evidence_for_it() -> None:
    record = successor(new(), source("a"), WHY, MAKING)

    state = state_of(record.payload)
    assert (state.supersedes, state.status, state.since) == ("a", RevisionStatus.ACTIVE, NOW_TEXT)
    assert edges(record) == [("supersedes", "a")]
    evidence = record.provenance.sources[-1]
    assert (evidence.kind, evidence.ref, evidence.created_by) == ("event", "a", "eval")


def test_variants_and_unions_name_where_they_come_from() -> None:
    one = variant(new(), source("a"), WHY, MAKING)
    several = union(new(), [source("b"), source("a")], WHY, MAKING)

    assert edges(one) == [("derived_from", "a")]
    assert edges(several) == [("derived_from", "b"), ("derived_from", "a")]
    for record in (one, several):
        assert state_of(record.payload).status is None
        assert record.provenance == new().provenance


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (successor(new(), source("a"), WHY, MAKING), "supersedes a: why"),
        (variant(new(), source("a"), WHY, MAKING), "forked from a: why"),
        (union(new(), [source("a"), source("b")], WHY, MAKING), "merged from [a b]: why"),
        (variant(new(), source("a"), Why("eval", ""), MAKING), "forked from a"),
    ],
)
def test_its_trail_begins_with_the_revision(record: MemoryRecord, reason: str) -> None:
    (entry,) = record.audit_log

    assert (entry.action, entry.actor, entry.rationale) == ("create", "eval", reason)
    assert first_broken("new", record.audit_log) is None


def test_its_own_relations_come_behind_and_none_is_there_twice() -> None:
    given = [
        {"predicate": "cites", "target_id": "c", "weight": 0.5},
        {"predicate": "derived_from", "target_id": "a", "weight": 0.5},
    ]

    record = union(new(relations=given), [source("a"), source("b")], WHY, MAKING)

    assert edges(record) == [("derived_from", "a"), ("derived_from", "b"), ("cites", "c")]
    assert [each.weight for each in record.relations] == [1.0, 1.0, 0.5]


@pytest.mark.parametrize("named", ["evidence", "provenance", "another type"])
def test_a_fact_needs_evidence_and_what_is_no_fact_does_not(named: str) -> None:
    evidence = {"source_type": "eval", "source_id": "1", "timestamp": NOW_TEXT}
    match named:
        case "evidence":
            fact = a_given_record().payload.model_dump(exclude_none=True)
            record = new(payload={**fact, "evidence": [evidence]})
        case "provenance":
            record = new(provenance={"sources": [{"kind": "event", "ref": "e"}]})
        case _:
            record = in_store("entity").record

    require_evidence(record, "merge")

    with pytest.raises(InvalidArgument, match=r"^merge: semantic revision requires evidence: rec"):
        require_evidence(new(), "merge")


def test_a_revision_makes_no_episode_and_where_asked_for_no_other_type() -> None:
    require_type(MemoryType.ENTITY, None, "fork")
    require_type(MemoryType.ENTITY, MemoryType.ENTITY, "supersede")

    with pytest.raises(InvalidArgument, match=r"^fork: an episodic record is not made by revision"):
        require_type(MemoryType.EPISODIC, None, "fork")
    with pytest.raises(InvalidArgument, match=r"^supersede: the new record must be of the type"):
        require_type(MemoryType.ENTITY, MemoryType.SEMANTIC, "supersede")


@pytest.mark.parametrize(
    ("scopes", "asked", "is_admin", "scope"),
    [
        (["a"], None, False, "a"),
        (["a", "a"], "a", False, "a"),
        ([""], None, False, ""),
        ([""], "", False, ""),
        (["a"], None, True, "a"),
        (["a"], "b", True, "b"),
        (["a", "b"], "c", True, "c"),
    ],
)
def test_its_scope_is_that_of_its_sources_but_for_an_administrators_word(
    scopes: list[str], asked: str | None, scope: str, *, is_admin: bool
) -> None:
    sources = [source(f"r{number}", scope=each) for number, each in enumerate(scopes)]

    assert scope_among(sources, asked, is_admin=is_admin) == scope


@pytest.mark.parametrize(
    ("scopes", "asked", "is_admin", "error"),
    [
        (["a"], "b", False, PermissionDenied),
        ([""], "b", False, PermissionDenied),
        (["a", "b"], None, False, PermissionDenied),
        (["a", "b"], "a", False, PermissionDenied),
        (["a", ""], None, False, PermissionDenied),
        (["a", "b"], None, True, InvalidArgument),
    ],
)
def test_it_does_not_leave_their_scope(
    scopes: list[str], asked: str | None, error: type[Exception], *, is_admin: bool
) -> None:
    sources = [source(f"r{number}", scope=each) for number, each in enumerate(scopes)]

    with pytest.raises(error):
        scope_among(sources, asked, is_admin=is_admin)


@pytest.mark.parametrize(
    ("levels", "asked", "is_admin", "level"),
    [
        (["low", "high"], "low", False, "high"),
        (["low"], "medium", False, "medium"),
        (["high"], "public", True, "public"),
    ],
)
def test_it_is_at_least_as_sensitive_as_each_but_for_an_administrators_word(
    levels: list[str], asked: str, level: str, *, is_admin: bool
) -> None:
    sources = [source(f"r{number}", sensitivity=each) for number, each in enumerate(levels)]

    assert sensitivity_among(sources, Sensitivity(asked), is_admin=is_admin) == level
