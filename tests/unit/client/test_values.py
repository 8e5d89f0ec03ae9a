"""Replies as values: known fields typed, unknown fields kept."""

import asyncio
import copy
import pickle
from datetime import UTC, datetime

import httpx2
import pytest

from membrane_client import (
    Captured,
    Gone,
    Memory,
    MemoryRecord,
    MemoryType,
    NotFound,
    UnexpectedReply,
)
from membrane_client.core.protocol import Reply
from membrane_client.value import Meta
from membrane_client.values.payloads import EntityPayload, Payload, PlanEdge, SemanticPayload
from membrane_client.values.records import AuditTrail
from tests.builders.filled_stores import RECORD, an_api, played, served, served_async

ENDLESS = b"[" * 200_000
"""JSON nested deeper than any parser follows."""

WRITTEN = b'{"record": {"id": "r1"}, "consistency_token": "t"}'


def test_a_record_reads_as_it_is_with_zeros_as_zeros() -> None:
    record = MemoryRecord(RECORD)

    assert record.type is MemoryType.SEMANTIC
    assert (record.salience, record.confidence) == (0.0, 0.0)
    assert record.created_at == datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    assert record.scope is None
    assert record.tags == ()
    assert isinstance(record.payload, SemanticPayload)
    assert record.payload.object is None


def test_fields_and_words_of_a_newer_service_are_kept() -> None:
    newer = {**RECORD, "type": "dream", "colour": "blue", "payload": {"kind": "dream", "of": "x"}}

    record = MemoryRecord(newer)

    assert record.type == "dream"
    assert record.raw["colour"] == "blue"
    assert record.payload is not None
    assert record.payload.raw["of"] == "x"


def test_a_redacted_record_has_no_payload() -> None:
    assert MemoryRecord({**RECORD, "payload": None}).payload is None


def test_a_reply_without_what_every_reply_has_is_unexpected() -> None:
    with pytest.raises(UnexpectedReply, match="salience"):
        _ = MemoryRecord({}).salience
    with pytest.raises(UnexpectedReply, match="created_at"):
        _ = MemoryRecord({"created_at": "yesterday"}).created_at
    for body in (b"<html>", b"[]", ENDLESS):
        with pytest.raises(UnexpectedReply):
            played(an_api().health(), Reply(200, {}, body))
    with pytest.raises(NotFound):
        played(an_api().health(), Reply(404, {}, ENDLESS))


def test_records_in_brief_are_memories() -> None:
    brief = {"id": "r1", "type": "semantic", "salience": 0.5, "text": "Ada drinks tea"}
    brief |= {"when": "2026-01-02T03:04:05Z", "who": "Ada"}

    def answering(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"records": [brief]})

    async def listed() -> list[MemoryRecord]:
        async with served_async(answering) as client:
            return [each async for each in client.list_records(view="brief")]

    with served(answering) as client:
        found = [
            *client.list_records(view="brief"),
            *client.retrieve("drinks", view="brief"),
            *client.retrieve("drinks", view="brief").records,
            *asyncio.run(listed()),
        ]

    for each in found:
        assert isinstance(each, Memory)
        shown = (each.id, each.text, each.who, each.when.year)
        assert shown == ("r1", "Ada drinks tea", "Ada", 2026)


ODD = [b"", b"{}", b'{"records": null}', b'{"records": "r1"}', b'{"records": {}}']


@pytest.mark.parametrize("body", ODD)
def test_a_list_that_did_not_come_is_no_empty_list(body: bytes) -> None:
    for call in (
        an_api().recall("q"),
        an_api().retrieve("q"),
        an_api().get_all(),
    ):
        with pytest.raises(UnexpectedReply):
            played(call, Reply(200, {}, body))


def test_parts_of_another_shape_are_unexpected() -> None:
    for body in (b'{"results": null}', b'{"results": ["a"]}'):
        with pytest.raises(UnexpectedReply):
            played(an_api().ingest_batch([{}]), Reply(200, {}, body))
    for shown in (b"[1]", b'[{"payload": {}}]', b'[{"payload": {"kind": []}}]'):
        reply = Reply(200, {}, b'{"records": %s}' % shown)
        with pytest.raises(UnexpectedReply):
            list(map(payload_of, played(an_api().retrieve("q"), reply)[1]))


def payload_of(record: MemoryRecord) -> Payload | None:
    return record.payload


def test_values_are_read_only_and_equal_by_what_they_hold() -> None:
    record = MemoryRecord(RECORD)

    with pytest.raises(AttributeError, match="read-only"):
        record.salience = 1.0
    assert record == MemoryRecord({**RECORD})
    assert record != MemoryRecord({**RECORD, "id": "r2"})
    assert repr(record).startswith("MemoryRecord(id='r1', type='semantic'")


def test_values_are_copied_and_pickled() -> None:
    record = MemoryRecord(RECORD, Meta(replayed=True))

    pickled = pickle.loads(pickle.dumps(record))  # noqa: S301 - made by the line itself
    for other in (copy.copy(record), copy.deepcopy(record), pickled):
        assert other == record
        assert other.replayed
    assert copy.deepcopy(record).raw is not record.raw


def test_a_field_that_python_has_no_name_for_has_another() -> None:
    edge = PlanEdge({"from": "a", "to": "b", "kind": "data"})

    assert (edge.from_, edge.to) == ("a", "b")


def test_an_alias_that_came_as_a_text_is_an_alias() -> None:
    entity = EntityPayload({"kind": "entity", "canonical_name": "Ada", "aliases": ["Countess"]})

    assert [each.value for each in entity.aliases] == ["Countess"]


def test_a_capture_reads_as_evidence_new_records_and_edges() -> None:
    edge = {
        "source_id": "r1",
        "predicate": "mentions_entity",
        "target_id": "r2",
        "weight": 1.0,
        "created_at": "2026-01-02T03:04:05Z",
    }
    entity = {"id": "r2", "type": "entity", "payload": {"kind": "entity", "canonical_name": "Ada"}}
    captured = Captured({"primary_record": RECORD, "created_records": [entity], "edges": [edge]})

    (made,) = captured.created_records
    (link,) = captured.edges
    assert captured.primary_record == MemoryRecord(RECORD)
    assert (made.type, made.id) == (MemoryType.ENTITY, link.target_id)
    assert (link.predicate, link.weight, link.created_at.year) == ("mentions_entity", 1.0, 2026)


def test_a_write_says_whether_it_was_done_before() -> None:
    _, record = played(
        an_api().ingest_event("a", "b"),
        Reply(200, {"idempotency-replayed": "true", "apigw-requestid": "id-1"}, WRITTEN),
    )

    assert record.replayed
    assert record.request_id == "id-1"


def test_a_repeated_write_whose_record_was_deleted_since_is_gone() -> None:
    reply = b'{"record": {"id": "r1", "deleted_at": "2026-01-02T00:00:00Z"}}'

    with pytest.raises(Gone) as gone:
        played(an_api().ingest_event("a", "b"), Reply(200, {}, reply))

    assert gone.value.record_id == "r1"
    assert gone.value.deleted_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_an_answer_is_a_sequence_of_its_records() -> None:
    body = b'{"records": [{"id": "r1"}, {"id": "r2"}], "scores": {"r1": 0.5}, "next_cursor": "c"}'

    _, found = played(an_api().retrieve("q"), Reply(200, {}, body))

    assert [each.id for each in found] == ["r1", "r2"]
    assert (len(found), found[1].id, found.scores, found.next_cursor) == (2, "r2", {"r1": 0.5}, "c")


def test_what_was_not_asked_for_is_none_and_false_stays_false() -> None:
    assert AuditTrail({"audit_log": [], "audit_count": 0}).verified is None
    assert AuditTrail({"audit_log": [], "audit_count": 0, "verified": False}).verified is False


def test_a_verified_trail_has_the_comparison_with_the_newest_anchor() -> None:
    trail = {"audit_log": [], "audit_count": 0, "verified": True}
    head = {"instant": "2026-11-21T10:00:00Z", "entries": 3, "holds": True}

    anchor = AuditTrail({**trail, "anchor": head}).anchor

    assert anchor is not None
    assert (anchor.instant.year, anchor.entries, anchor.holds) == (2026, 3, True)
    assert AuditTrail({**trail, "anchor": None}).anchor is None
