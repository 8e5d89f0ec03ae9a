"""A report becomes a record: typed, placed, dated, with its provenance and first audit entry."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from membrane.domain.ingest.reports import IngestOutcome, Report
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    PermissionDenied,
    TooLarge,
    TooManyProfiles,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import (
    DecayCurve,
    DeletionPolicy,
    Permission,
    Sensitivity,
)
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    OWNER,
    call,
    event,
    observation,
    outcome,
    refused,
    standing,
    tool_output,
    working_state,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

NOW = "2026-03-01T09:00:00.25Z"
EARLIER = "2026-02-28T23:59:59.123456789Z"
FIRST_ID, SECOND_ID = (f"00000000-0000-4000-8000-{number:012d}" for number in (1, 2))

REPORTS: Mapping[str, Callable[..., Report]] = {
    "event": event,
    "tool_output": tool_output,
    "observation": observation,
    "working_state": working_state,
}


def living(kind: str, lifecycle: JsonObject) -> Report:
    """A report that asks for that lifecycle."""
    report = REPORTS[kind]()
    return validate(type(report), {**as_json(report), "lifecycle": lifecycle})


def ingested(report: Report, services: Services) -> MemoryRecord:
    """The record of a report."""
    return written(ingest(report, call(report), services))


def test_an_event_becomes_an_episodic_record_with_all_that_policy_gives_it(
    services: Services, records: TableRecords
) -> None:
    report = event(summary="it failed", tags=["ci"], scope="project:alpha")

    record = ingested(report, services)

    printed = as_json(record)
    (entry,) = printed.pop("audit_log")
    assert printed == {
        "id": FIRST_ID,
        "audit_count": 1,
        "type": "episodic",
        "sensitivity": "low",
        "confidence": 0.8,
        "salience": 1.0,
        "scope": "project:alpha",
        "tags": ("ci",),
        "created_at": NOW,
        "updated_at": NOW,
        "lifecycle": {
            "decay": {
                "curve": "exponential",
                "half_life_seconds": 3_600,
                "reinforcement_gain": 0.2,
            },
            "last_reinforced_at": NOW,
            "deletion_policy": "auto_prune",
        },
        "provenance": {
            "sources": (
                {
                    "kind": "event",
                    "ref": "build:1",
                    "hash": record.provenance.sources[0].hash,
                    "created_by": "ci",
                    "timestamp": NOW,
                },
            ),
            "created_by": "ingestion-service",
        },
        "payload": {
            "kind": "episodic",
            "timeline": (
                {"t": NOW, "event_kind": "build", "ref": "build:1", "summary": "it failed"},
            ),
        },
    }
    assert (entry["action"], entry["actor"], entry["principal"], entry["rationale"]) == (
        "create",
        "ingestion-service",
        "owner",
        "Ingested event from ci",
    )
    stored = records.load(record.id)
    assert isinstance(stored, StoredRecord)
    assert stored.with_newest_entries() == record


@pytest.mark.parametrize(
    ("kind", "memory_type", "confidence", "half_life_s"),
    [
        ("event", "episodic", 0.8, 3_600),
        ("tool_output", "episodic", 0.9, 3_600),
        ("observation", "semantic", 0.7, 2_592_000),
        ("working_state", "working", 1.0, 86_400),
    ],
)
def test_type_confidence_and_half_life_follow_from_the_kind_of_report(
    services: Services, kind: str, memory_type: str, confidence: float, half_life_s: int
) -> None:
    record = ingested(REPORTS[kind](), services)

    assert (record.type, record.confidence) == (memory_type, confidence)
    assert record.lifecycle.decay.half_life_seconds == half_life_s
    assert record.audit_log[0].rationale.startswith(f"Ingested {kind} from ")


def test_a_tool_output_is_an_episode_of_one_node_that_everything_refers_to(
    services: Services,
) -> None:
    report = tool_output(args={"pattern": "x"}, result=[1, None], depends_on=["a", "b"])

    record = ingested(report, services)

    assert as_json(record.payload) == {
        "kind": "episodic",
        "timeline": (
            {"t": NOW, "event_kind": "tool_call", "ref": SECOND_ID, "summary": "tool_call: grep"},
        ),
        "tool_graph": (
            {
                "id": SECOND_ID,
                "tool": "grep",
                "args": {"pattern": "x"},
                "result": [1, None],
                "timestamp": NOW,
                "depends_on": ("a", "b"),
            },
        ),
    }
    source = record.provenance.sources[0]
    assert (source.kind, source.ref, source.created_by) == ("tool_call", SECOND_ID, "agent")


def test_an_observation_is_a_fact_that_holds_everywhere_with_its_evidence(
    services: Services,
) -> None:
    record = ingested(observation(object={"with": "milk"}), services)

    assert as_json(record.payload) == {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": {"with": "milk"},
        "validity": {"mode": "global"},
        "evidence": ({"source_type": "observation", "source_id": "agent", "timestamp": NOW},),
        "revision_policy": "replace",
    }
    source = record.provenance.sources[0]
    assert (source.kind, source.ref) == ("observation", "agent")


def test_a_working_state_is_kept_as_it_was_reported(services: Services) -> None:
    constraint = {"type": "time", "key": "deadline", "value": "noon", "required": True}
    report = working_state(
        state="blocked",
        next_actions=["ask"],
        open_questions=["who?"],
        context_summary="stuck",
        active_constraints=[constraint],
    )

    record = ingested(report, services)

    assert as_json(record.payload) == {
        "kind": "working",
        "thread_id": "thread:1",
        "state": "blocked",
        "active_constraints": (constraint,),
        "next_actions": ("ask",),
        "open_questions": ("who?",),
        "context_summary": "stuck",
    }
    source = record.provenance.sources[0]
    assert (source.kind, source.ref) == ("event", "thread:1")


@pytest.mark.parametrize("kind", REPORTS)
def test_the_callers_time_dates_the_report_and_ours_the_record(
    services: Services, kind: str
) -> None:
    record = ingested(REPORTS[kind](timestamp=EARLIER), services)

    assert (record.created_at, record.updated_at) == (NOW, NOW)
    assert record.lifecycle.last_reinforced_at == NOW
    assert record.audit_log[0].timestamp == NOW
    assert record.provenance.sources[0].timestamp == EARLIER


@pytest.mark.parametrize("absent", [None, "", "0001-01-01T00:00:00Z"])
def test_a_report_without_a_time_happened_now(services: Services, absent: str | None) -> None:
    record = ingested(event(timestamp=absent), services)

    assert record.provenance.sources[0].timestamp == NOW


def test_the_digest_tells_reports_apart_by_what_they_say_alone(services: Services) -> None:
    asked = [event(), event(idempotency_key="k"), event(ref="build:2"), event(timestamp=EARLIER)]

    hashes = [ingested(report, services).provenance.sources[0].hash for report in asked]

    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3
    assert all(len(found.removeprefix("sha256:")) == 64 for found in hashes)


def test_a_record_is_made_as_the_operator_set_it(clock: FakeClock) -> None:
    policy = PolicyDefaults(
        sensitivity=Sensitivity.MEDIUM,
        episodic_half_life_s=60,
        initial_salience=0.5,
        deletion_policy=DeletionPolicy.NEVER,
        reinforcement_gain=0.0,
        decay_curve=DecayCurve.LINEAR,
    )

    record = ingested(event(), make_services(now=clock, policy=policy))

    assert (record.sensitivity, record.salience) == ("medium", 0.5)
    assert record.lifecycle.deletion_policy == "never"
    assert as_json(record.lifecycle.decay) == {
        "curve": "linear",
        "half_life_seconds": 60,
        "reinforcement_gain": 0.0,
    }


LIVES: Mapping[str, JsonObject] = {
    "lifecycle.pinned": {"pinned": True},
    "lifecycle.deletion_policy never": {"deletion_policy": "never"},
    "lifecycle.decay.min_salience above 1": {"decay": {"min_salience": 1.5}},
    "lifecycle.decay.reinforcement_gain above 1": {"decay": {"reinforcement_gain": 2.0}},
}
"""Lifecycles that need `revise`, by the words of the refusal."""


@pytest.mark.parametrize("kind", REPORTS)
def test_policy_fills_what_the_lifecycle_of_a_report_leaves_open(
    services: Services, records: TableRecords, kind: str
) -> None:
    usual = ingested(REPORTS[kind](), services).lifecycle
    asked = {"decay": {"half_life_seconds": 77}, "deletion_policy": "manual_only"}

    record = ingested(living(kind, asked), services)

    profile = usual.decay.model_copy(update={"half_life_seconds": 77})
    kept = {"decay": profile, "deletion_policy": DeletionPolicy.MANUAL_ONLY}
    assert record.lifecycle == usual.model_copy(update=kept)
    assert standing(record.id, records).record.lifecycle == record.lifecycle


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("field", LIVES)
def test_what_makes_a_report_outrank_or_outlast_others_needs_revise(
    services: Services, records: TableRecords, kind: str, field: str
) -> None:
    report = living(kind, LIVES[field])
    reporter = OWNER._replace(permissions=frozenset({Permission.INGEST}))

    with refused(records, PermissionDenied, f"{field} needs the permission revise"):
        ingest(report, call(report, reporter), services)

    assert ingested(report, services).lifecycle.last_reinforced_at == NOW


def test_a_report_asks_for_no_decay_profile_beyond_those_that_a_ranking_merges(
    services: Services, records: TableRecords
) -> None:
    for number in range(14):
        ingested(living("event", {"decay": {"half_life_seconds": 100 + number}}), services)
    one_more = living("event", {"decay": {"half_life_seconds": 99}})

    with refused(records, TooManyProfiles, "16 decay profiles") as caught:
        ingest(one_more, call(one_more), services)

    assert [each.field for each in caught.value.violations] == ["lifecycle.decay"]


def test_a_report_whose_lifecycle_is_wrong_is_refused_by_the_name_of_its_field() -> None:
    for wrong in ({"decay": {"half_life_seconds": 0}}, {"decay": {"half_life": 7}}):
        with pytest.raises(InvalidArgument) as caught:
            living("event", wrong)
        assert caught.value.violations[0].field.startswith("lifecycle.decay.half_life")


@pytest.mark.parametrize("kind", REPORTS)
def test_a_report_with_a_curve_that_there_is_not_is_refused_by_the_name_of_its_field(
    services: Services, records: TableRecords, kind: str
) -> None:
    report = living(kind, {"decay": {"curve": "custom", "custom_curve": "gone"}})

    with refused(records, InvalidArgument, "names no curve of the settings") as caught:
        ingest(report, call(report), services)

    assert [each.field for each in caught.value.violations] == ["lifecycle.decay.custom_curve"]


@pytest.mark.parametrize("kind", REPORTS)
def test_a_repeated_report_with_a_lifecycle_is_the_same_record_and_another_lifecycle_is_refused(
    services: Services, records: TableRecords, kind: str
) -> None:
    report, other = (living(kind, {"decay": {"half_life_seconds": s}}) for s in (77, 78))
    made = written(ingest(report, call(report, key="k"), services))

    assert written(ingest(report, call(report, key="k"), services), replayed=True) == made
    with refused(records, AlreadyExists):
        ingest(other, call(other, key="k"), services)


def test_every_record_has_an_id_and_a_salt_of_its_own(services: Services) -> None:
    made = [ingested(event(), services) for _ in range(3)]

    assert len({record.id for record in made}) == 3
    assert len({record.audit_log[0].salt for record in made}) == 3


REQUIRED = [
    (event, {"source": ""}, "candidate source is required"),
    (event, {"event_kind": ""}, "event kind is required for event candidates"),
    (event, {"ref": ""}, "event ref is required for event candidates"),
    (tool_output, {"tool_name": ""}, "tool name is required for tool output candidates"),
    (observation, {"subject": ""}, "subject is required for observation candidates"),
    (observation, {"predicate": ""}, "predicate is required for observation candidates"),
    (working_state, {"thread_id": ""}, "thread ID is required for working state candidates"),
    (working_state, {"state": ""}, "task state is required for working state candidates"),
    (outcome, {"target_record_id": ""}, "target record ID is required for outcome candidates"),
    (outcome, {"outcome_status": ""}, "outcome status is required for outcome candidates"),
]


@pytest.mark.parametrize(("make", "empty", "words"), REQUIRED)
def test_a_report_without_what_it_must_have_is_refused(
    services: Services,
    records: TableRecords,
    make: Callable[..., Report | IngestOutcome],
    empty: dict[str, Any],
    words: str,
) -> None:
    asked = make(**{"target_record_id": "any"} | empty) if make is outcome else make(**empty)

    with refused(records, InvalidArgument, words) as caught:
        ingest(asked, call(asked), services)

    assert isinstance(caught.value, InvalidArgument)
    assert [violation.field for violation in caught.value.violations] == list(empty)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\0", None])
def test_a_note_without_a_text_is_refused(
    services: Services, records: TableRecords, text: str | None
) -> None:
    asked = observation(predicate="noted", object=text)

    with refused(records, InvalidArgument, "object is required for a note") as caught:
        ingest(asked, call(asked), services)

    assert isinstance(caught.value, InvalidArgument)
    assert [violation.field for violation in caught.value.violations] == ["object"]


def test_all_that_a_report_lacks_is_named_at_once(
    services: Services, records: TableRecords
) -> None:
    asked = event(source="", event_kind="", ref="")

    with refused(records, InvalidArgument, "candidate source is required") as caught:
        ingest(asked, call(asked), services)

    assert isinstance(caught.value, InvalidArgument)
    assert [found.field for found in caught.value.violations] == ["source", "event_kind", "ref"]


def test_a_report_of_blanks_is_a_report(services: Services) -> None:
    record = ingested(event(source=" ", event_kind="\n", ref="\t"), services)

    assert record.audit_log[0].rationale == "Ingested event from  "


def test_a_record_that_no_reply_could_carry_is_refused(
    services: Services, records: TableRecords
) -> None:
    asked = working_state(next_actions=("\x01" * 99_000,) * 10)

    with refused(records, TooLarge):
        ingest(asked, call(asked), services)


def test_the_principal_is_recorded_beside_what_the_caller_claims(services: Services) -> None:
    asked = event(source="somebody else")
    principal = OWNER._replace(actor_id="key:7")

    record = written(ingest(asked, call(asked, principal), services))

    assert record.provenance.sources[0].created_by == "somebody else"
    assert record.audit_log[0].principal == "key:7"
