"""Restores that are killed, or run out of time: each line is restored once, topics first."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.objects import HOP
from membrane.adapters.aws_lambda.events.restores import restore_object
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.access.principals import principal_of
from membrane.domain.archive.exports import Export
from membrane.domain.archive.requests import CreateExport
from membrane.domain.archive.side_lines import ReceiptLine, ThreadLine
from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, Unavailable
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.timestamps import rfc3339
from membrane.table import dynamo
from membrane.table.items import LostRace
from membrane.table.keys import EXPORT
from membrane.usecases.archive import restore_line as restoring
from membrane.usecases.archive.export_lines import load_whole_topic
from membrane.usecases.archive.exports import create_export
from membrane.usecases.archive.restore_line import parse_line, restore_line
from membrane.usecases.archive.write_export import write_export
from membrane.usecases.imports import import_lines, work
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.topics import TopicChange
from membrane.wiring.world import World
from tests.builders.stored_records import stored
from tests.builders.stored_topics import ACTION, archived
from tests.fakes.bucket import FakeImports
from tests.fakes.chat_models import Later
from tests.fakes.clock import FakeFences
from tests.worlds.importing import Context
from tests.worlds.memory import make_world

KEY = "restores/all.ndjson"
RESULT = "import-results/restores/all.ndjson.json"
ADMIN = principal_of("operator", ["admin"], ["*"], "hyper")
RECORDS = 20
FIELDS_OF_PASSES = ("passes", "passes_done", "frame")
"""Fields of a result that former versions of the service did not write."""

LOOKS = 10
"""Looks at the clock of a run: enough for the longest line."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many reads, checkpoints and windows in a short file."""
    monkeypatch.setattr(work, "PIECE_BYTES", 4_000)
    monkeypatch.setattr(work, "WINDOW_LINES", 2)
    monkeypatch.setattr(restoring, "PART_BYTES", 4_000)
    monkeypatch.setattr(import_lines, "WORKERS", 1)


@pytest.fixture(scope="module")
def content() -> bytes:
    """The file of a memory with a line of most kinds."""
    services = make_world()
    for number in range(RECORDS):
        services.records.create(stored(f"record-{number}"))
    services.restores.restore_receipt(
        ReceiptLine(
            kind="receipt", keyed_id="keyed", record_id="record-0", fingerprint=b"f".hex() * 32
        )
    )
    services.restores.restore_thread(ThreadLine(kind="thread", key=b"k".hex() * 32, next_turn=5))
    for topic_id in ("topic-1", "topic-2"):
        services.topic_restores.restore_topic(archived(topic_id))
    services.topic_restores.restore_action(ACTION)
    return exported(services)


def exported(services: World) -> bytes:
    """The file of an export of everything."""
    create_export(CreateExport(), Call(ADMIN, "CreateExport", None, b""), services)
    (export_id,) = (each["id"] for each in services.jobs.all_of(f"{EXPORT}{ADMIN.identity}"))
    export = write_export(
        ADMIN.identity, export_id, services, is_out_of_time=lambda: False, hand_over=None
    )
    assert isinstance(export, Export)
    parts = [services.blobs.get(part.name) for part in export.parts]
    assert None not in parts
    return b"".join(part or b"" for part in parts)


@dataclass(slots=True)
class Target:
    """An empty memory, and a bucket with the file."""

    imports: FakeImports = field(default_factory=FakeImports)
    later: Later = field(default_factory=Later)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        self.services = make_world(imports=self.imports, invoke_later=self.later)

    def put(self, content: bytes) -> Any:
        """Put the file; the event of the put."""
        sequencer = self.imports.put(KEY, content)
        found = self.imports.find(KEY)
        assert found is not None
        put = {"key": KEY, "etag": found.etag, "sequencer": sequencer}
        return {"time": rfc3339(self.services.now()), "detail": {"object": put}}

    @property
    def result(self) -> Any:
        return parse_json(self.imports.kept[RESULT])


def body_of(content: bytes) -> list[bytes]:
    """The lines between the first and the last."""
    return content.splitlines()[1:-1]


def test_a_restore_goes_on_in_the_run_after_the_time_is_out(content: bytes) -> None:
    target = Target()
    event, hops = target.put(content), 0

    while (reply := restore_object(event, Context([900_000] * LOOKS + [0]), target.services))[
        "status"
    ] == "running":
        hops += 1
        _, event = target.later.asked[-1]
        assert event[HOP] == hops

    assert reply["status"] == "done"
    assert hops > 3
    assert reply["created"] + reply["replayed"] == len(body_of(content))
    assert body_of(exported(target.services)) == body_of(content)


def test_a_changed_line_is_found_by_a_later_run_and_nothing_is_restored(content: bytes) -> None:
    target = Target()
    event, hops = target.put(content.replace(b"record-4", b"record-9")), 0

    while (reply := restore_object(event, Context([900_000] * LOOKS + [0]), target.services))[
        "status"
    ] == "running":
        hops += 1
        _, event = target.later.asked[-1]

    assert hops > 0
    assert (reply["status"], reply["passes_done"], reply["created"]) == ("failed", 0, 0)
    assert body_of(exported(target.services)) == []


def test_a_run_that_hands_over_leaves_progress_in_the_result(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, a run with just enough time for one pass would be repeated without end."""
    monkeypatch.setattr(restoring, "PART_BYTES", len(content))
    handed_over = 0
    for looks in range(60):
        target = Target()
        put, context = target.put(content), Context([900_000] * looks + [0])
        with suppress(Unavailable):
            reply = restore_object(put, context, target.services)
            handed_over += reply["status"] == "running"
            assert target.result["passes_done"] >= 1

    assert handed_over > 10


def test_a_result_without_the_digest_so_far_is_checked_from_the_first_line(content: bytes) -> None:
    """Former versions of the service kept no digest."""
    target = Target()
    event = target.put(content)
    restore_object(event, Context([900_000] * LOOKS + [0]), target.services)
    result = target.result
    assert result["bytes_done"] > 0
    former = {name: value for name, value in result.items() if name not in FIELDS_OF_PASSES}
    target.imports.kept[RESULT] = compact_json(former).encode()

    reply = restore_object(event, Context(), target.services)

    assert (reply["status"], reply["refused"]) == ("done", 0)
    assert body_of(exported(target.services)) == body_of(content)


RECEIPT: dict[str, Any] = {
    "kind": "topic_receipt",
    "identity": "0" * 24,
    "fingerprint": "0" * 64,
    "topic_ids": ["topic-1"],
    "expires_at_s": 2_000_000_000,
    "reply": {"topic_id": "topic-1"},
}

CONTEXT: dict[str, Any] = {
    "kind": "system_context",
    "document": {
        "system_role": "a pilot",
        "runtime_context": "in Rome",
        "created_at": "2026-03-01T09:00:00Z",
        "changes": [],
        "operations": [],
    },
}


def lines_of(content: bytes, *kinds: str) -> list[dict[str, Any]]:
    """The lines of a file of these kinds."""
    lines = map(parse_line, content.splitlines())
    return [dict(each) for each in lines if each.get("kind") in kinds]


def test_no_line_comes_into_a_scope_under_erasure(content: bytes) -> None:
    services = make_world()
    for line in lines_of(content, "topic"):
        restore_line(line, services)
    fenced = {"one": ACTION.scope, "other": archived().topic.scope, "third": ""}
    services = services.but(fences=FakeFences(fenced))
    lines = lines_of(content, "topic", "action")
    assert len(lines) == 3

    for line in [*lines, RECEIPT, CONTEXT]:
        with pytest.raises(FailedPrecondition, match="the scope is being erased"):
            restore_line(line, services)


def test_the_key_of_a_restored_topic_receipt_stands_for_one_reply() -> None:
    services, line = make_world(), RECEIPT

    assert restore_line(line, services)
    assert not restore_line(line, services)
    with pytest.raises(AlreadyExists, match="used for something else"):
        restore_line({**line, "reply": {"topic_id": "other"}}, services)


def test_a_key_under_which_a_record_stands_is_no_key_of_a_receipt(content: bytes) -> None:
    services = make_world()
    (line,) = lines_of(content, "receipt")
    services.records.create(stored(line["keyed_id"]))

    with pytest.raises(AlreadyExists, match="used for something else"):
        restore_line(line, services)


@pytest.mark.parametrize(
    "kind", ["receipt", "thread", "record", "action", "topic", "topic_receipt"]
)
def test_a_line_that_meets_another_transaction_is_tried_again(
    content: bytes, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    services = make_world()
    line, *_ = [RECEIPT] if kind == RECEIPT["kind"] else lines_of(content, kind)

    def refuse_once(*_: Any) -> None:
        monkeypatch.undo()
        raise LostRace

    monkeypatch.setattr(dynamo, "commit", refuse_once)

    assert restore_line(line, services)
    assert not restore_line(line, services)


def test_a_topic_that_changes_while_it_is_read_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    services = make_world()
    services.topic_restores.restore_topic(archived("topic-1"))
    before, edges = services.topics.load("topic-1"), DynamoTopics.edges
    assert before is not None
    after = replace(before, title="changed", version=before.version + 1)

    def change_and_read(self: DynamoTopics, *given: Any) -> Any:
        monkeypatch.undo()
        services.topics.apply(TopicChange(topics=[(before, after)], token=services.new_id()))
        return edges(self, *given)

    monkeypatch.setattr(DynamoTopics, "edges", change_and_read)

    found = load_whole_topic("topic-1", services)

    assert found is not None
    assert (found.topic.title, found.topic.version) == ("changed", after.version)


@pytest.mark.parametrize("is_equal", [True, False])
def test_a_document_that_another_restore_keeps_first_stands(
    monkeypatch: pytest.MonkeyPatch, *, is_equal: bool
) -> None:
    services = make_world()
    keep, other = DynamoTopics.keep_document, {**CONTEXT}
    if not is_equal:
        other["document"] = {**CONTEXT["document"], "runtime_context": "in Porto"}

    def keep_behind_another(self: DynamoTopics, *given: Any) -> Any:
        monkeypatch.undo()
        assert restore_line(other, services)
        return keep(self, *given)

    monkeypatch.setattr(DynamoTopics, "keep_document", keep_behind_another)

    with nullcontext() if is_equal else pytest.raises(AlreadyExists, match="differs"):
        assert not restore_line(CONTEXT, services)
    assert not restore_line(other, services)
