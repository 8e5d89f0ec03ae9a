"""Any content whatever is stored as a readable record or refused with an error for the caller."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.violations import validate
from membrane.domain.records.records import as_json
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.capture_memory import capture_memory
from tests.builders.captures import capture
from tests.builders.hostile_contents import REFERENCES, contents
from tests.builders.requests import call, refused
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

OWNS = {"subject": "Orchid", "predicate": "owned_by", "object": "Lumo"}

TOO_LONG = "x" * (MAX_TEXT_CHARACTERS + 1)


def require_readable(records: TableRecords) -> None:
    """Payload and interpretation of every record are read back from the JSON text."""
    for held in records.places.values():
        if isinstance(held, StoredRecord):
            for part in filter(None, (held.record.payload, held.record.interpretation)):
                text = compact_json(as_json(part), [])
                assert type(part).model_validate(parse_json(text), context=held.id) == part


@given(
    content=contents,
    context=contents,
    source_kind=st.sampled_from(["event", "observation", "working_state", "tool_output", "x", ""]),
    proposed_type=st.sampled_from(["", "semantic", "working"]),
)
@example({"fact": {**OWNS, "object": {"$upload": 5}}}, None, "observation", "")
def test_any_content_is_stored_readable_or_refused(
    content: Any, context: Any, source_kind: str, proposed_type: str
) -> None:
    records = TableRecords(FakeClock())
    services = make_services(records=records, now=records.now)
    asked = {
        "source": "agent",
        "source_kind": source_kind,
        "proposed_type": proposed_type,
        "content": content,
        "context": context,
    }

    try:
        request = validate(CaptureMemory, asked)
        capture_memory(request, call(request), services)
    except DomainError:
        assert not any(isinstance(each, StoredRecord) for each in records.places.values())

    require_readable(records)


@pytest.mark.parametrize("place", ["content", "content.fact"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subject", TOO_LONG),
        ("predicate", TOO_LONG),
        *(("object", each) for each in REFERENCES),
    ],
)
@pytest.mark.parametrize("asked", [{"source_kind": "observation"}, {"proposed_type": "semantic"}])
def test_a_field_that_no_fact_may_have_is_named_where_it_stands(
    asked: dict[str, Any], name: str, value: Any, place: str
) -> None:
    records = TableRecords(FakeClock())
    services = make_services(records=records, now=records.now)
    fact = {**OWNS, name: value}
    content = fact if place == "content" else {"text": "Orchid", "fact": fact}

    with refused(records, InvalidArgument) as caught:
        capture(content, services, **asked)

    assert [each.field for each in caught.value.violations] == [f"{place}.{name}"]
