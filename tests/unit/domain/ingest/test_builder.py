"""How a record is assembled of a report or given whole, and completed by an outcome."""

from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.ingest.builder import with_outcome
from membrane.domain.ingest.reports import IngestOutcome, Report
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.records.audit import first_broken
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord, Provenance
from tests.builders.records import (
    EARLIER_TEXT,
    NOW,
    NOW_TEXT,
    PRINCIPAL,
    RECORD_ID,
    a_candidate,
    a_fact,
    a_given_record,
    a_making,
    a_record_given,
    a_record_of,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    an_outcome,
    printed,
)

REPORTS_ONCE: list[Report] = [
    an_event(timestamp=EARLIER_TEXT),
    a_tool_output(timestamp=EARLIER_TEXT),
    an_observation(timestamp=EARLIER_TEXT),
    a_working_state(timestamp=EARLIER_TEXT),
]


def name_of(report: object) -> str:
    return type(report).__name__


def after_outcome(record: MemoryRecord, outcome: IngestOutcome, *, hours: int) -> MemoryRecord:
    """The record after an outcome that was reported so much later."""
    assert isinstance(record.payload, EpisodicPayload)
    assert outcome.outcome_status is not None
    making = a_making(now=NOW + timedelta(hours=hours), salt=f"salt-{hours}")
    candidate = a_candidate(outcome)
    return with_outcome(record, record.payload, outcome.outcome_status, candidate, making)


@pytest.mark.parametrize(
    ("report", "kind"),
    list(zip(REPORTS_ONCE, ["event", "tool_output", "observation", "working_state"], strict=True)),
    ids=lambda value: name_of(value) if hasattr(value, "source") else "",
)
def test_a_record_begins_its_audit_trail_with_its_ingestion(report: Report, kind: str) -> None:
    record = a_record_of(report)

    trail = printed(record)["audit_log"]

    assert [{name: entry[name] for name in entry if "hash" not in name} for entry in trail] == [
        {
            "action": "create",
            "actor": "ingestion-service",
            "timestamp": NOW_TEXT,
            "rationale": f"Ingested {kind} from agent",
            "principal": PRINCIPAL,
            "salt": "5a",
        }
    ]
    assert first_broken(RECORD_ID, record.audit_log) is None


@pytest.mark.parametrize("report", REPORTS_ONCE, ids=name_of)
def test_a_record_was_created_when_the_server_says_whatever_its_report_says(
    report: Report,
) -> None:
    record = a_record_of(report)

    assert {
        record.created_at,
        record.updated_at,
        record.lifecycle.last_reinforced_at,
        record.audit_log[0].timestamp,
    } == {NOW_TEXT}


@pytest.mark.parametrize("scope", ["team", ""])
def test_a_record_has_the_id_the_scope_and_the_tags_that_it_was_given(scope: str) -> None:
    record = a_record_of(an_event(tags=["b", "a"], scope="asked"), scope=scope)

    assert (record.id, record.scope, record.tags) == (RECORD_ID, scope, ("b", "a"))


def test_an_outcome_completes_its_episode() -> None:
    record = a_record_of(an_event())
    outcome = an_outcome(outcome_status="partial", timestamp=EARLIER_TEXT, source="judge")

    completed = printed(after_outcome(record, outcome, hours=1))

    assert completed["payload"] == printed(record.payload) | {"outcome": "partial"}
    assert completed["updated_at"] == "2026-01-31T13:00:00Z"
    assert completed["provenance"]["sources"][1:] == [
        {
            "kind": "outcome",
            "ref": "outcome:rec-1:partial",
            "hash": a_candidate(outcome).digest(),
            "created_by": "judge",
            "timestamp": EARLIER_TEXT,
        }
    ]
    assert completed["audit_log"][1] == completed["audit_log"][1] | {
        "action": "revise",
        "actor": "judge",
        "rationale": "Outcome recorded: partial",
        "timestamp": "2026-01-31T13:00:00Z",
        "principal": PRINCIPAL,
    }


def test_an_outcome_changes_nothing_else() -> None:
    record = a_record_of(an_event(tags=["a"]))
    changed = {"payload", "updated_at", "provenance", "audit_log"}

    completed = after_outcome(record, an_outcome(), hours=1)

    assert completed.model_dump(exclude=changed) == record.model_dump(exclude=changed)


def test_a_later_outcome_replaces_the_earlier_one_and_keeps_its_history() -> None:
    record = a_record_of(an_event())

    first = after_outcome(record, an_outcome(outcome_status="failure"), hours=1)
    second = after_outcome(first, an_outcome(outcome_status="success"), hours=2)

    assert printed(second.payload)["outcome"] == "success"
    assert [source.ref for source in second.provenance.sources] == [
        "msg-1",
        "outcome:rec-1:failure",
        "outcome:rec-1:success",
    ]
    assert [entry.rationale for entry in second.audit_log] == [
        "Ingested event from agent",
        "Outcome recorded: failure",
        "Outcome recorded: success",
    ]
    assert first_broken(RECORD_ID, second.audit_log) is None


def test_the_same_outcome_twice_is_recorded_twice() -> None:
    record = a_record_of(an_event())

    twice = after_outcome(after_outcome(record, an_outcome(), hours=1), an_outcome(), hours=2)

    assert len(twice.provenance.sources) == len(twice.audit_log) == 3


def test_an_episode_of_very_many_outcomes_can_still_be_read() -> None:
    record = a_record_of(an_event())
    sources = record.provenance.sources * 10_000
    provenance = record.provenance.model_copy(update={"sources": sources})

    completed = after_outcome(
        record.model_copy(update={"provenance": provenance}), an_outcome(), hours=1
    )

    assert Provenance.model_validate(printed(completed.provenance)) == completed.provenance


def test_a_full_record_is_kept_as_it_was_given() -> None:
    given = a_given_record(
        sensitivity="hyper", confidence=0.5, salience=5, tags=["b", "a"], payload=a_fact(object=7)
    )

    record = printed(a_record_given(given, scope="elsewhere"))

    assert record == record | {
        "id": RECORD_ID,
        "type": "semantic",
        "sensitivity": "hyper",
        "confidence": 0.5,
        "salience": 5,
        "scope": "elsewhere",
        "tags": ["b", "a"],
        "created_at": NOW_TEXT,
        "updated_at": NOW_TEXT,
        "payload": a_fact(object=7),
    }


def test_a_full_record_begins_its_own_audit_trail() -> None:
    given = a_given_record(
        audit_log=[{"action": "create", "actor": "mallory"}], created_at="2001-01-01T00:00:00Z"
    )

    trail = a_record_given(given).audit_log

    assert [(entry.action, entry.actor, entry.rationale) for entry in trail] == [
        ("create", "ingestion-service", f"Ingested record from {PRINCIPAL}")
    ]
    assert first_broken(RECORD_ID, trail) is None


def test_a_full_record_keeps_its_sources_and_none_of_their_hashes() -> None:
    source = {"kind": "artifact", "ref": "a", "created_by": "b", "timestamp": NOW_TEXT}
    given = a_given_record(
        provenance={"sources": [source | {"hash": "sha256:forged"}], "created_by": "importer"}
    )

    provenance = printed(a_record_given(given))["provenance"]

    written = provenance["sources"][0]
    assert provenance["created_by"] == "importer"
    assert {name: written[name] for name in source} == source
    assert written["hash"].startswith("sha256:")
    assert "forged" not in written["hash"]


def test_a_full_record_that_names_no_creator_was_created_by_the_service() -> None:
    record = a_record_given(a_given_record())

    assert record.provenance.created_by == "ingestion-service"


def test_a_relation_without_a_weight_weighs_1_and_is_as_old_as_its_record() -> None:
    given = a_given_record(
        relations=[
            {"predicate": "supports", "target_id": "rec-2", "created_at": EARLIER_TEXT},
            {"predicate": "supports", "target_id": "rec-3", "weight": 0},
            {"predicate": "contradicts", "target_id": "rec-2", "weight": 0.25},
        ]
    )

    relations = printed(a_record_given(given))["relations"]

    assert relations == [
        {"predicate": "supports", "target_id": "rec-2", "weight": 1, "created_at": NOW_TEXT},
        {"predicate": "supports", "target_id": "rec-3", "weight": 1, "created_at": NOW_TEXT},
        {"predicate": "contradicts", "target_id": "rec-2", "weight": 0.25, "created_at": NOW_TEXT},
    ]


def test_a_relation_that_weighs_next_to_nothing_does_not_come_to_weigh_1() -> None:
    given = a_given_record(
        relations=[{"predicate": "supports", "target_id": "rec-2", "weight": 1e-200}]
    )

    relation = a_record_given(given).relations[0]

    assert relation.weight < 1e-100


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "episodic"}, "payload: payload kind must match memory type"),
        ({"type": "competence"}, "payload: payload kind must match memory type"),
        (
            {"relations": [{"predicate": "p", "target_id": "t", "weight": w} for w in (0.1, 0.2)]},
            "relations: the same relation is given twice",
        ),
        (
            {"relations": [{"predicate": "p", "target_id": RECORD_ID}]},
            "relations: a record cannot relate to itself",
        ),
    ],
    ids=["another type", "yet another", "relation twice", "relation to itself"],
)
def test_a_full_record_that_contradicts_itself_is_refused(
    fields: dict[str, Any], message: str
) -> None:
    given = a_given_record(**fields)

    with pytest.raises(InvalidArgument) as caught:
        a_record_given(given)

    assert str(caught.value) == f"validation error for {message}"
