"""How a record is printed, and that what was printed may be sent again."""

from typing import Any

import pytest

from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import Report
from membrane.domain.language.violations import validate
from membrane.domain.records.records import as_json
from tests.builders.records import (
    NOW_TEXT,
    a_given_record,
    a_record_given,
    a_record_of,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    printed,
)
from tests.builders.whole_payloads import WHOLE


def sent_again(record: Any) -> Any:
    """What ingest makes of a record that it printed, but for the hashes of its provenance."""
    given = validate(IngestRecord, {"record": record}).record
    return without_hashes(printed(a_record_given(given, scope=given.scope or "")))


def without_hashes(record: Any) -> Any:
    for source in record["provenance"]["sources"]:
        source.pop("hash", None)
    record.pop("id")
    record.pop("audit_log")
    return record


def test_a_record_is_printed_with_the_keys_of_the_contract_in_their_order() -> None:
    record = a_record_given(
        a_given_record(tags=["a"], relations=[{"predicate": "supports", "target_id": "rec-2"}])
    )

    names = list(printed(record))

    assert names == [
        "id",
        "type",
        "sensitivity",
        "confidence",
        "salience",
        "scope",
        "tags",
        "created_at",
        "updated_at",
        "lifecycle",
        "provenance",
        "relations",
        "payload",
        "audit_log",
    ]


def test_scope_tags_and_relations_that_are_empty_are_not_printed() -> None:
    record = a_record_of(an_event(tags=[]), scope="")

    names = set(printed(record))

    assert not names & {"scope", "tags", "relations"}


@pytest.mark.parametrize("number", [0, 0.0])
def test_confidence_and_salience_are_printed_even_where_they_are_0(number: float) -> None:
    record = printed(a_record_given(a_given_record(confidence=number, salience=number)))

    assert (record["confidence"], record["salience"]) == (0, 0)


def test_a_lifecycle_of_defaults_prints_what_is_never_omitted() -> None:
    given = a_given_record(
        lifecycle={
            "decay": {"half_life_seconds": 60, "min_salience": 0, "max_age_seconds": 0},
            "pinned": False,
        }
    )

    lifecycle = printed(a_record_given(given))["lifecycle"]

    assert lifecycle == {
        "decay": {
            "curve": "exponential",
            "half_life_seconds": 60,
            "reinforcement_gain": 0.2,
        },
        "last_reinforced_at": NOW_TEXT,
        "deletion_policy": "auto_prune",
    }


def test_a_lifecycle_with_everything_prints_everything() -> None:
    sent = {
        "decay": {
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0.5,
        },
        "last_reinforced_at": NOW_TEXT,
        "pinned": True,
        "deletion_policy": "never",
    }

    lifecycle = printed(a_record_given(a_given_record(lifecycle=sent)))["lifecycle"]

    assert lifecycle == sent


def test_a_provenance_without_sources_prints_an_empty_list() -> None:
    record = a_record_given(a_given_record())

    provenance = printed(record)["provenance"]

    assert provenance["sources"] == []


def test_a_source_prints_its_kind_and_ref_even_where_the_ref_is_empty() -> None:
    given = a_given_record(provenance={"sources": [{"kind": "artifact", "ref": ""}]})

    source = printed(a_record_given(given))["provenance"]["sources"][0]

    assert {name: source[name] for name in source if name != "hash"} == {
        "kind": "artifact",
        "ref": "",
    }


def test_an_audit_entry_prints_actor_and_rationale_even_where_they_are_empty() -> None:
    entry = a_record_of(an_event()).audit_log[0]
    erased = entry.model_copy(update={"actor": "", "rationale": ""})

    written = printed(erased)

    assert (written["actor"], written["rationale"]) == ("", "")


def test_an_audit_entry_prints_either_its_salt_or_the_hash_of_the_text_that_it_lost() -> None:
    entry = a_record_of(an_event()).audit_log[0]
    erased = entry.model_copy(
        update={"actor": "", "rationale": "", "salt": "", "text_hash": "0" * 64}
    )

    names, names_left = set(printed(entry)), set(printed(erased))

    assert names - names_left == {"salt"}
    assert names_left - names == {"text_hash"}


def test_a_part_of_a_record_may_be_printed_alone() -> None:
    record = a_record_of(an_event(tags=["a"]))

    part = as_json(record, only={"confidence", "tags"})

    assert part == {"confidence": 0.8, "tags": ("a",)}


@pytest.mark.parametrize("memory_type", list(WHOLE))
def test_a_record_that_was_returned_may_be_sent_again_and_is_the_same(memory_type: str) -> None:
    given = a_given_record(
        type=memory_type,
        sensitivity="high",
        confidence=0.25,
        salience=3.5,
        scope="team",
        tags=["b", "a"],
        lifecycle={
            "decay": {"curve": "linear", "min_salience": 0.01, "max_age_seconds": 600},
            "pinned": True,
            "deletion_policy": "manual_only",
        },
        provenance={
            "sources": [
                {"kind": "artifact", "ref": "a", "created_by": "b", "timestamp": NOW_TEXT},
                {"kind": "event", "ref": ""},
            ],
            "created_by": "importer",
        },
        relations=[{"predicate": "supports", "target_id": "rec-2", "weight": 0.5}],
        payload=WHOLE[memory_type],
    )
    record = printed(a_record_given(given))

    again = sent_again(record)

    assert again == without_hashes(record)


@pytest.mark.parametrize(
    "report",
    [an_event(), a_tool_output(args={"a": 1}), an_observation(), a_working_state()],
    ids=lambda report: type(report).__name__,
)
def test_the_record_of_a_report_may_be_sent_again_and_is_the_same(report: Report) -> None:
    record = printed(a_record_of(report))

    again = sent_again(record)

    assert again == without_hashes(record)


def test_a_record_that_gains_nothing_from_reinforcement_stays_so_when_it_is_sent_again() -> None:
    given = a_given_record(lifecycle={"decay": {"reinforcement_gain": 0}})
    record = printed(a_record_given(given))

    again = a_record_given(validate(IngestRecord, {"record": record}).record)

    assert again.lifecycle.decay.reinforcement_gain == 0
