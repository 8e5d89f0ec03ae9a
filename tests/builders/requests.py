"""Who asks for what: principals, requests and calls, with a default for every part."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.access.token_rules import principal_by_rules
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
)
from membrane.domain.language.errors import DomainError
from membrane.domain.language.fields import Part
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    ChangeRequest,
    DeleteRecord,
    Penalize,
    Pin,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import StoredRecord, fingerprint_of, keyed_id
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.lifecycle.change_fading import (
    change_lifecycle,
    penalize_record,
    pin_record,
    reinforce_record,
)
from membrane.usecases.lifecycle.delete_and_restore import delete_record, restore_record
from membrane.usecases.machinery.calls import Call, Gone, Result, Written
from membrane.usecases.revision.standing import (
    contest_record,
    reclassify_record,
    resolve_contest,
    retract_record,
)
from membrane.usecases.revision.supersede_fork_merge import (
    fork_record,
    merge_records,
    supersede_record,
)
from membrane.wiring.token_rules import token_rules
from membrane.wiring.world import World
from tests.worlds.memory_table import TableRecords

Refusal = TypeVar("Refusal", bound=DomainError)

OWNER = principal_of("owner", Permission, ["*"], "hyper")
"""May do everything, everywhere."""

ALPHA = principal_of("alpha", Permission, ["project:alpha", "shared"], "medium")
"""Limited to two scopes, and to what is not too sensitive."""

BETA = principal_of("beta", Permission, ["project:beta"], "hyper")


USE_CASES: Mapping[type[ChangeRequest], Callable[..., Result]] = {
    Reinforce: reinforce_record,
    Penalize: penalize_record,
    Pin: pin_record,
    Unpin: pin_record,
    ChangeLifecycle: change_lifecycle,
    DeleteRecord: delete_record,
    RestoreRecord: restore_record,
    Supersede: supersede_record,
    Fork: fork_record,
    Merge: merge_records,
    Retract: retract_record,
    Contest: contest_record,
    Resolve: resolve_contest,
    Reclassify: reclassify_record,
}
"""Every change of records, by what asks for it."""


def call(
    request: Part, principal: Principal = OWNER, *, key: str | None = None, rpc: str | None = None
) -> Call:
    """The call that carries the request; its RPC is named after it."""
    name = rpc or type(request).__name__
    return Call(principal, name, key, fingerprint_of(as_json(request)))


def event(**fields: Any) -> IngestEvent:
    """A report of an event."""
    return IngestEvent(**{"source": "ci", "event_kind": "build", "ref": "build:1", **fields})


def tool_output(**fields: Any) -> IngestToolOutput:
    """A report of a tool's call."""
    return IngestToolOutput(**{"source": "agent", "tool_name": "grep", **fields})


def observation(**fields: Any) -> IngestObservation:
    """A report of a fact."""
    return IngestObservation(
        **{"source": "agent", "subject": "user", "predicate": "likes", "object": "tea", **fields}
    )


def working_state(**fields: Any) -> IngestWorkingState:
    """A report of a task's state."""
    return IngestWorkingState.model_validate(
        {"source": "agent", "thread_id": "thread:1", "state": "planning", **fields}
    )


def outcome(target_record_id: str, **fields: Any) -> IngestOutcome:
    """A report of how an episode ended."""
    given = {"source": "agent", "target_record_id": target_record_id, "outcome_status": "success"}
    return IngestOutcome.model_validate({**given, **fields})


def full_record(**fields: Any) -> IngestRecord:
    """A whole record, of a skill."""
    skill = {
        "type": "competence",
        "sensitivity": "low",
        "payload": {"kind": "competence", "skill_name": "deploy", "triggers": [], "recipe": []},
    }
    return IngestRecord.model_validate({"record": {**skill, **fields}})


def relation(target_id: str, predicate: str = "cites", **fields: Any) -> dict[str, Any]:
    """A relation as a caller sends it."""
    return {"predicate": predicate, "target_id": target_id, **fields}


def a_fact(**fields: Any) -> dict[str, Any]:
    """A record to be of a revision, with evidence; `payload` is its difference from usual."""
    payload = {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "coffee",
        "validity": {"mode": "global"},
        "evidence": [
            {"source_type": "eval", "source_id": "1", "timestamp": "2026-01-02T03:04:05Z"}
        ],
        **fields.pop("payload", {}),
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload, **fields}


def supersede(record_id: str, **fields: Any) -> Supersede:
    """Another fact in that one's place."""
    return Supersede.model_validate({"id": record_id, "new_record": a_fact(**fields)})


def fork(record_id: str, **fields: Any) -> Fork:
    """Another fact beside that one."""
    return Fork.model_validate({"id": record_id, "forked_record": a_fact(**fields)})


def merge(*record_ids: str, **fields: Any) -> Merge:
    """One fact in the place of those."""
    return Merge.model_validate({"ids": record_ids, "merged_record": a_fact(**fields)})


def change(
    asked: ChangeRequest,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
) -> Result:
    """What the change gives."""
    return USE_CASES[type(asked)](asked, call(asked, principal, key=key), services)


def standing(record_id: str, records: DynamoRecords | TableRecords) -> StoredRecord:
    """The record as it is stored, or its tombstone while it keeps its document."""
    found = records.load(record_id)
    assert isinstance(found, StoredRecord)
    return found


def written(result: Result, *, replayed: bool = False) -> MemoryRecord:
    """The record of a call that wrote one, or that repeats one that did."""
    assert isinstance(result, Written), f"the record is gone: {result}"
    assert result.replayed is replayed
    return result.record


def gone(result: Result) -> Gone:
    """What a call that repeats one gets when the record was deleted since."""
    assert isinstance(result, Gone)
    assert result.replayed
    return result


@contextmanager
def refused(
    records: TableRecords, error: type[Refusal], words: str = ""
) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """The block is refused with that error, in these words, and the store stays as it was."""
    before = records.everything()
    with pytest.raises(error) as caught:
        yield caught
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert records.everything() == before


__all__ = ["BUS_IDENTITY", "IMPORT_IDENTITY", "QUEUE_IDENTITY", "keyed_id"]


def _identity(actor_id: str, source: Source) -> str:
    bound = principal_of(actor_id, ["ingest"], ["events"], "low")
    return bound._replace(source=source).identity


BUS_IDENTITY = _identity("event-bus", Source.BUS)
QUEUE_IDENTITY = _identity("queue", Source.QUEUE)
IMPORT_IDENTITY = _identity("import", Source.IMPORT)


RULE: Mapping[str, Any] = MappingProxyType(
    {
        "when": {"groups": "agents"},
        "actor": "{sub}",
        "permissions": ["read"],
        "scopes": ["user:{sub}"],
        "max_sensitivity": "low",
    }
)
CLAIMS: Mapping[str, Any] = MappingProxyType({"sub": "ana", "groups": ["staff", "agents"]})


def principal_of_claims(*rules: Mapping[str, Any], **claims: Any) -> Principal:
    """The principal of CLAIMS with changes, by rules that each change RULE."""
    parsed = token_rules([{**RULE, **each} for each in rules or ({},)])
    return principal_by_rules(parsed, {**CLAIMS, **claims})


BLANKS = (
    "", " ", "   ", "\t\n\r\v\f", "\0", "\x1f\x7f\x85", "\u00a0", "\u00ad", "\u034f", "\u061c",
    "\u115f\u1160", "\u1680", "\u180e", "\u2000\u200a", "\u200b", "\u200c\u200d\u200e\u200f",
    "\u2028\u2029", "\u202e", "\u202f", "\u205f", "\u2060", "\u2066\u2069", "\u2800", "\u3000",
    "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\U000e0001\U000e0100", " \u200b\u3000 ",
)  # fmt: skip
