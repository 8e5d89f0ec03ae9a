"""What a model reads of a capture, wherever the record keeps it."""

import json
from typing import Any

from membrane.domain.language.values import LargeValue
from membrane.domain.records.captured import Captured
from membrane.domain.records.payloads import EnvironmentSnapshot, ToolNode
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.read_material import Material, read_material
from membrane.usecases.ports.services import Services
from tests.builders.captures import captured
from tests.builders.requests import standing
from tests.builders.stored_records import event, stored
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


class Bucket(TableRecords):
    """A store whose bucket holds one value."""

    def __init__(self, services: Services, value: Any) -> None:
        super().__init__(services.now)
        self._text = json.dumps(value).encode()

    def value(self, large: LargeValue) -> bytes:
        """See DynamoRecords."""
        assert large.record_id == "record-1"
        return self._text


def episode(environment: EnvironmentSnapshot, *calls: ToolNode) -> StoredRecord:
    """A capture that is an episode."""
    update = {"environment": environment, "tool_graph": calls}
    return stored(payload=event().model_copy(update=update))


def test_content_reason_and_context_are_text(services: Services) -> None:
    kept = Captured({"note": "Ana owns\nbilling"}, {"thread": "t-1"}, "ownership")

    material = read_material(episode(kept.as_environment()), services)

    assert material == Material("note: Ana owns\nbilling", "ownership\nthread: t-1")


def test_arguments_and_result_of_a_tool_belong_to_the_content(services: Services) -> None:
    kept = Captured({"tool_name": "psql"}, None, "")
    call = ToolNode(id="n", tool="psql", args={"query": "select 1"}, result=["one row"])

    material = read_material(episode(kept.as_environment(), call), services)

    assert material == Material("tool_name: psql\nquery: select 1\none row", "")


def test_a_large_capture_is_read_from_the_bucket(services: Services) -> None:
    kept = Captured("Ana owns billing", None, "ownership").as_environment()
    large = EnvironmentSnapshot(context=LargeValue("record-1", "5f" * 32, 200_000))
    bucket = Bucket(services, kept.context)

    material = read_material(episode(large), make_services(records=bucket, now=services.now))

    assert material == Material("Ana owns billing", "ownership")


STATE = {"thread_id": "t-1", "state": "blocked"}


def material_of(content: dict[str, Any], **fields: Any) -> Material:
    """What a model reads of a captured working state."""
    records = TableRecords(FakeClock())
    services = make_services(records=records, now=records.now)
    body = captured({**STATE, **content}, services, source_kind="working_state", **fields)
    return read_material(standing(body["primary_record"]["id"], records), services)


def test_the_fields_of_a_working_state_belong_to_the_content() -> None:
    material = material_of({"summary": "Waiting for Ana", "next_actions": ["call Ana"]})

    assert material == Material("Waiting for Ana\ncall Ana\nt-1 blocked", "")


def test_context_and_reason_of_a_working_state_are_no_content() -> None:
    material = material_of(
        {"summary": "Waiting for Ana", "project": "Orchid"},
        context={"owner": "Bob"},
        reason_to_remember="Carl asked",
        summary="Ana decides",
    )

    content = "summary: Waiting for Ana\nproject: Orchid\nAna decides\nt-1 blocked"
    assert material == Material(content, "Carl asked\nowner: Bob")


def test_a_reason_in_place_of_a_summary_is_no_content() -> None:
    material = material_of({}, reason_to_remember=" Carl asked")

    assert material == Material("t-1 blocked", " Carl asked")


def test_a_summary_of_the_content_that_is_the_reason_too_is_content() -> None:
    material = material_of({"summary": "Carl asked"}, reason_to_remember="Carl asked")

    assert material == Material("Carl asked\nt-1 blocked", "")
