"""What a record rests on: the evidence of a derived fact, every reference of a reported record."""

from typing import Any

import pytest

from membrane.domain.records.evidence import (
    MAX_EVIDENCE,
    evidence_of,
    grounds_of,
    with_evidence,
    without_evidence,
)
from membrane.domain.records.payloads import ProvenanceRef
from membrane.domain.records.records import MemoryRecord
from tests.builders.records import NOW_TEXT, a_fact, a_given_record, a_record_given
from tests.builders.revised_records import an_episode_in_store


def a_ref(source_id: str) -> ProvenanceRef:
    return ProvenanceRef(source_type="episodic", source_id=source_id, timestamp=NOW_TEXT)


def fact(*named: str, sources: tuple[dict[str, str], ...] = (), **fields: Any) -> MemoryRecord:
    """A fact that names evidence; a source with a hash is a report."""
    payload = a_fact(evidence=[a_ref(each).model_dump() for each in named])
    given = a_given_record(type="semantic", payload=payload, **fields)
    record = a_record_given(given)
    provenance = type(record.provenance).model_validate(
        {"sources": [{"kind": "event", **each} for each in sources]}
    )
    return record.model_copy(update={"provenance": provenance})


FORKED = [{"predicate": "derived_from", "target_id": "tea"}]
REPORT = {"ref": "talk", "hash": "sha256:00"}
REVISION = {"ref": "old"}


@pytest.mark.parametrize(
    ("record", "grounds"),
    [
        (fact("capture"), {"capture"}),
        (fact("capture", sources=(REVISION,)), {"capture"}),
        (fact("capture", relations=FORKED), {"capture"}),
        (fact("capture", sources=(REPORT,)), {"capture", "talk"}),
        (fact("capture", sources=(REPORT, REVISION)), {"capture", "talk", "old"}),
        (fact(sources=(REVISION,)), {"old"}),
        (fact(relations=FORKED), {"tea"}),
        (fact(), set()),
    ],
    ids=[
        "derived",
        "derived, replaces a fact",
        "derived, varies a fact",
        "reported",
        "reported, replaces a fact",
        "replaces a fact",
        "varies a fact",
        "nothing",
    ],
)
def test_a_fact_rests_on(record: MemoryRecord, grounds: set[str]) -> None:
    assert grounds_of(record) == grounds
    assert grounds_of(record) <= evidence_of(record)


def test_further_evidence_comes_last_and_once() -> None:
    record = with_evidence(fact("one"), a_ref("two"))

    assert grounds_of(record) == {"one", "two"}
    assert with_evidence(record, a_ref("two")) is record
    assert with_evidence(record, a_ref("one")) is record


@pytest.mark.parametrize("given", [MAX_EVIDENCE - 1, MAX_EVIDENCE, MAX_EVIDENCE + 20])
def test_a_full_list_of_evidence_grows_no_longer(given: int) -> None:
    refs = [str(number) for number in range(given)]

    record = with_evidence(fact(*refs), a_ref("newest"))

    most = max(given, MAX_EVIDENCE)
    assert grounds_of(record) == set([*refs, "newest"][-most:])


def test_a_fact_without_evidence_that_went_names_the_rest() -> None:
    record = without_evidence(fact("one", "two", sources=(REPORT,)), frozenset({"one", "talk"}))

    assert evidence_of(record) == {"two"}


def test_an_episode_gains_no_evidence() -> None:
    with pytest.raises(TypeError, match="only facts"):
        with_evidence(an_episode_in_store().record, a_ref("one"))
