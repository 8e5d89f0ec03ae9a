"""The heads of records, topics and documents come from the entity store alone.

The head of a record says whether the vector is stale.
"""

import ast
import base64
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.records.standing import is_found, needs_vector, outlived_by
from membrane.domain.records.stored import AnyRecord
from membrane.table.items import put_new, text
from membrane_local.storage.stores import TABLE
from tests.faults.acts import ACTS
from tests.faults.harness import Act, is_done
from tests.faults.world import Stage, Step, Steps

LAYER = Path(__file__).parents[2] / "layers" / "membrane" / "membrane"

WRITES = {"Write", "put_new", "put_next", "change_attributes"}
"""What makes a write."""

CALLS = {"put_item", "update_item", "delete_item", "batch_write_item", "transact_write_items"}
"""What carries out a write."""

WRITERS = {
    "adapters/dynamodb/access.py": "keys and their counters",
    "adapters/dynamodb/archive/keyed_documents.py": "keyed documents from an archive",
    "adapters/dynamodb/archive/exports.py": "records, receipts and threads from an archive",
    "adapters/dynamodb/archive/topic_restores.py": "topics from an archive",
    "adapters/dynamodb/documents/lists.py": "keyed documents",
    "adapters/dynamodb/documents/store.py": "keyed documents",
    "adapters/dynamodb/erasure/documents.py": "what lies beside documents that an erasure removes",
    "adapters/dynamodb/erasure/erasure_store.py": "jobs of erasures",
    "adapters/dynamodb/erasure/fences.py": "fences of erasures",
    "adapters/dynamodb/indexes/decay_classes.py": "the decay classes in use",
    "adapters/dynamodb/indexes/learning.py": "look-ups of traces",
    "adapters/dynamodb/indexes/names.py": "names of entities",
    "adapters/dynamodb/integrity/integrity_store.py": "edges, and anchors",
    "adapters/dynamodb/models.py": "the use of models",
    "adapters/dynamodb/records/beside.py": "edges, checks, heads of facts, and credit spent",
    "adapters/dynamodb/records/kind.py": "what a record has beside its head",
    "adapters/dynamodb/records/queues.py": "turns of threads, and tickets",
    "adapters/dynamodb/records/store.py": "receipts, items beside, and the removal of a tombstone",
    "adapters/dynamodb/records/uploads.py": "uploads",
    "adapters/dynamodb/search/answer_receipts.py": "receipts of answers",
    "adapters/dynamodb/search/vector_index.py": "vectors",
    "adapters/dynamodb/topics/revisions.py": "the removal of revisions, and archives",
    "adapters/dynamodb/topics/topic_items.py": "the scopes of topics",
    "adapters/dynamodb/topics/topic_scopes.py": "counters of a scope",
    "adapters/dynamodb/topics/topic_store.py": "reads of topics, erased events beside heads",
    "table/dynamo.py": "carries out the writes of all others",
    "table/entity.py": "heads",
    "table/index.py": "due instants and flags of heads, the ends of vectors, the scopes in use",
    "table/long.py": "the parts of changes of several transactions, and removals beside heads",
    "table/items.py": "puts of a new item, and of the next version; removals beside a head",
    "table/progress.py": "progress of jobs",
}
"""What each module writes that writes anything."""

AT_RECORDS = {
    "adapters/dynamodb/records/beside.py": {"unchanged_check", "version_check"},
    "adapters/dynamodb/records/store.py": {"_removal"},
}
"""The functions outside the entity store that make a check or a removal at a record's head."""

AT_DOCUMENTS = {"adapters/dynamodb/documents/store.py": {"add_beside"}}
"""As AT_RECORDS, for documents: the removal of a head in the commit that moves the head."""

KEYS_OF_DOCUMENTS = {
    "membrane.adapters.dynamodb.documents.items",
    "membrane.adapters.dynamodb.documents.items.head_key",
}
"""What a module imports that makes the key of a document's head."""

HEADS = {
    "table/entity.py": {"Entities.commit"},
    "table/index.py": {"touch"},
    "adapters/dynamodb/archive/exports.py": {"DynamoRestores.restore_record"},
    "adapters/dynamodb/archive/topic_restores.py": {"DynamoTopicRestores.restore_topic"},
    "adapters/dynamodb/records/store.py": {
        "DynamoRecords.create_all",
        "DynamoRecords.discard",
        "DynamoRecords._erase_past",
    },
}
"""The functions of the entity store by which a head is written or removed."""


RECEIPT = "receipt_for"
"""The attribute of an item at a record's place that is the receipt of a key, and no head."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in LAYER.rglob("*.py"):
        yield str(path.relative_to(LAYER)), ast.parse(path.read_text())


def is_writing(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):
        return called.attr in CALLS | WRITES
    return isinstance(called, ast.Name) and called.id in WRITES


def names_in(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    plain = {each.id for each in nodes if isinstance(each, ast.Name)}
    return plain | {each.attr for each in nodes if isinstance(each, ast.Attribute)}


def test_the_modules_that_write_items_are_known() -> None:
    found = {name for name, tree in trees() if any(map(is_writing, ast.walk(tree)))}

    assert found == WRITERS.keys()


def test_only_the_entity_store_makes_a_change_at_the_head_of_a_record() -> None:
    found = writing_functions({name: {"own_key"} for name, _ in trees()})

    assert found == AT_RECORDS


def test_only_the_entity_store_makes_a_change_at_the_head_of_a_document() -> None:
    found = writing_functions({name: keys_of_documents(name, tree) for name, tree in trees()})

    assert found == AT_DOCUMENTS


def writing_functions(keys: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The functions, by module, that make a write and name one of the module's keys."""
    found: dict[str, set[str]] = {}
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and keys[name] & names_in(node):
                makes = [each for each in ast.walk(node) if is_writing(each)]
                if makes:
                    found.setdefault(name, set()).add(node.name)
    return found


def keys_of_documents(name: str, tree: ast.Module) -> set[str]:
    """The names by which a module may make the key of a document's head."""
    known = {"documents_partition", "head_of"}
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    imported = {f"{each.module}.{name.name}" for each in imports for name in each.names}
    has_key = bool(imported & KEYS_OF_DOCUMENTS)
    return known | ({"head_key"} if has_key or name.endswith("documents/items.py") else set())


@dataclass(slots=True)
class Watch(Steps):
    """Looks at every write of a head before the table carries the write out."""

    stage: Stage | None = None
    heads: int = 0
    topics: int = 0
    documents: int = 0
    """Writes of topics' and of documents' heads."""
    wrong: list[str] = field(default_factory=list)

    def take(self, step: Step) -> Any:
        if isinstance(step.carry_out, partial) and len(step.carry_out.args) == 2:
            operation, request = step.carry_out.args
            for action, write in writes_in(operation, request):
                item = write.get("Item", {})
                key = write.get("Key") or {name: item[name] for name in ("pk", "sk")}
                if key["sk"].get("S") == "record" and key["pk"]["S"].startswith("record#"):
                    self.look_at_record(action, write, key)
                is_topic = key["sk"].get("S") == "topic" and key["pk"]["S"].startswith("topic#")
                is_document = key["pk"]["S"].startswith("documents#")
                self.topics += is_topic
                self.documents += is_document
                if is_topic or is_document:
                    self.wrong.extend(f"{key['pk']['S']}: {each}" for each in beside_store(action))
        return Steps.take(self, step)

    def look_at_record(self, action: str, write: Mapping[str, Any], key: Mapping[str, Any]) -> None:
        assert self.stage is not None
        found = self.stage.database.answer("GetItem", {"TableName": TABLE, "Key": key})
        stored, item = found.get("Item"), write.get("Item", {})
        if RECEIPT in item or RECEIPT in (stored or {}):
            return
        self.heads += 1
        wrong = list(self.wrong_flags(stored, item)) if action == "Put" else []
        wrong.extend(beside_store(action))
        if action == "Update" and "stale" not in write["UpdateExpression"]:
            wrong.append("an update that leaves the flag as it is")
        self.wrong.extend(f"{key['pk']['S']}: {each}" for each in wrong)

    def wrong_flags(self, stored: Any, item: Mapping[str, Any]) -> Iterator[str]:
        """Why the flag of a whole head is wrong, which says that search finds by other words."""
        before = None if stored is None else self.record_of(stored)
        after, is_flagged = self.record_of(item), "stale" in item
        if before is not None and before.born_s != after.born_s:
            before = None  # expired, and replaced
        if not is_found(after):
            if is_flagged and not (is_found(before) and outlived_by(after)):
                yield "a flag on a record that search finds by nothing"
        elif before is None or needs_vector(before, after, is_mistimed=False):
            if not is_flagged:
                yield "no flag on content that search does not find yet"
        elif is_flagged and not self.may_be_mistimed(stored, item):
            yield "a flag on content that search finds already"

    def may_be_mistimed(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether the vector may have ended, or may never end: due is past, or is new."""
        assert self.stage is not None
        if "due_sk" not in before:
            return "due_sk" in after
        now_s = self.stage.cloud.functions.clock.now().timestamp()
        return float(before["due_sk"]["N"]) <= now_s

    def record_of(self, item: Mapping[str, Any]) -> AnyRecord:
        assert self.stage is not None
        records = self.stage.cloud.functions.world_of("RevisionsFunction").records
        assert isinstance(records, DynamoRecords)
        held = records.codec.decode([native(item)], whole=False)
        assert held is not None
        return held


def writes_in(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The puts, updates and deletions of a call."""
    if operation in ("PutItem", "UpdateItem", "DeleteItem"):
        yield operation.removesuffix("Item"), request
    elif operation == "TransactWriteItems":
        for each in request["TransactItems"]:
            yield from ((action, write) for action, write in each.items() if "Check" not in action)
    else:
        assert operation != "BatchWriteItem"


def beside_store(action: str) -> list[str]:
    """Why the write that is under way is wrong, if no function of HEADS is under way."""
    return [] if is_by_entity_store() else [f"{action} beside the entity store"]


def is_by_entity_store() -> bool:
    """Whether a function of HEADS is under way."""
    frame = sys._getframe()  # noqa: SLF001 - the names of the functions under way
    while frame is not None:
        code = frame.f_code
        path = code.co_filename.rpartition("/membrane/membrane/")[2]
        if code.co_qualname in HEADS.get(path, ()):
            return True
        frame = frame.f_back  # type: ignore[assignment] # None ends the loop
    return False


def native(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item as a client gives it, with bytes in place of their text."""
    return {
        name: {"B": base64.b64decode(each["B"])} if "B" in each else each
        for name, each in item.items()
    }


@pytest.mark.parametrize("act", ACTS, ids=str)
def test_every_head_that_an_act_writes_is_of_the_entity_store(act: Act) -> None:
    stage = Stage()
    given = act.prepare(stage)
    watch = Watch(stage=stage)

    reply = stage.run(partial(act.do, stage, given), watch)

    assert is_done(reply)
    assert watch.wrong == []
    assert watch.heads or act.name not in WRITING
    assert watch.topics or act.name not in WRITING_TOPICS
    assert watch.documents or act.name not in WRITING_DOCUMENTS


def test_a_head_that_is_put_beside_the_entity_store_is_seen() -> None:
    stage = Stage()
    watch = Watch(stage=stage)

    def put() -> None:
        store = stage.cloud.functions.world_of("DocumentsFunction").documents
        store.commit_all(put_new({"pk": text("documents#=team"), "sk": text("ada/profile")}))

    stage.run(put, watch)

    assert watch.wrong == ["documents#=team: Put beside the entity store"]


WRITING = ("POST /v1/ingest/event", "DecayFunction", "POST /v1/records/{id}/reinforce")
"""Acts that are known to write heads, so that a watch that sees nothing fails."""

WRITING_TOPICS = (
    "POST /v1/topics",
    "POST /v1/ingest at length",
    "POST /v1/reason",
    "RestoreFunction of all kinds",
)
"""As WRITING, for the heads of topics."""

WRITING_DOCUMENTS = (
    "PUT /v1/documents/{path+}",
    "DELETE /v1/documents/{path+}",
    "GET /v1/documents/{path+} anew",
    "EraseFunction",
    "RestoreFunction of all kinds",
)
"""As WRITING, for the heads of documents."""
