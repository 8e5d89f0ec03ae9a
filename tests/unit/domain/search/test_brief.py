"""A record in brief: what it says, when that was, and who said or reported it."""

from typing import Any

import pytest

from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.redaction import redacted_view
from membrane.domain.records.usefulness import CreditLedger, Grant
from membrane.domain.search.brief import in_brief
from membrane.domain.search.requests import MAX_BRIEF_CHARACTERS, MAX_WHO_CHARACTERS
from tests.builders.records import (
    EARLIER_TEXT,
    NOW_TEXT,
    PRINCIPAL,
    a_given_record,
    a_record_given,
    a_record_of,
    a_tool_output,
    an_event,
    an_observation,
)
from tests.builders.whole_payloads import WHOLE


def brief(record: MemoryRecord) -> dict[str, Any]:
    """The record in brief, seen in full."""
    return {**in_brief(record, is_redacted=False)}


def test_a_report_in_brief_says_what_when_and_who() -> None:
    report = an_event(summary="The build failed", timestamp=EARLIER_TEXT, tags=("ci",))
    record = a_record_of(report, scope="team")

    assert brief(record) == {
        "id": record.id,
        "type": "episodic",
        "text": "The build failed",
        "score": None,
        "salience": 1.0,
        "when": EARLIER_TEXT,
        "who": "agent",
        "scope": "team",
        "tags": ["ci"],
    }


@pytest.mark.parametrize("memory_type", WHOLE)
def test_a_record_of_every_type_has_a_text(memory_type: str) -> None:
    record = a_record_given(a_given_record(type=memory_type, payload=WHOLE[memory_type]))

    assert brief(record)["text"]


def test_a_fact_was_told_when_its_source_says_and_a_full_record_was_made_by_its_principal() -> None:
    told = a_record_of(an_observation(timestamp=EARLIER_TEXT))
    made = a_record_given(a_given_record(provenance={}))

    assert (brief(told)["when"], brief(told)["who"]) == (EARLIER_TEXT, "agent")
    assert (brief(made)["when"], brief(made)["who"]) == (NOW_TEXT, PRINCIPAL)


def test_a_record_in_brief_is_brief_whatever_it_holds() -> None:
    report = a_tool_output(source="s" * 10_000, result={"rows": ["x" * 1_000] * 50})

    found = brief(a_record_of(report))

    assert len(found["text"]) == MAX_BRIEF_CHARACTERS
    assert found["text"].endswith("…")
    assert len(found["who"]) == MAX_WHO_CHARACTERS


def test_of_a_redacted_record_neither_text_nor_who_is_shown() -> None:
    record = a_record_of(an_event(summary="secret", timestamp=EARLIER_TEXT))

    found = in_brief(record, is_redacted=True)

    assert (found["text"], found["who"], found["when"]) == (None, None, NOW_TEXT)


def test_a_call_of_a_tool_is_named_once() -> None:
    record = a_record_of(a_tool_output(tool_name="deploy", args={"to": "prod"}, result="done"))

    assert brief(record)["text"] == 'deploy {"to":"prod"} done'


def test_the_usefulness_of_a_redacted_record_is_not_shown() -> None:
    ledger = CreditLedger().after(Grant(0.2, 1.0, failed=False), "agent", NOW_TEXT)
    record = a_record_of(an_event()).model_copy(update={"usefulness": ledger.as_part()})

    assert brief(record)["usefulness"]["successes"] == 1.0
    assert "usefulness" not in in_brief(record, is_redacted=True)
    assert "usefulness" not in redacted_view(record)
