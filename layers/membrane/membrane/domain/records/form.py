"""The state of a record beside the content: one form for the table and for exports.

What is empty is left out; an export shows bytes in hex.
"""

from collections.abc import Mapping
from typing import Any

from membrane.domain.records import stored
from membrane.domain.records.history import Delta
from membrane.domain.records.learning_mark import LearningMark, Stage
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.usefulness import CreditLedger
from membrane.domain.salience.function import Anchor

State = dict[str, Any]


def stored_state(held: stored.AnyRecord) -> State:
    """The state; an operation is the identity with the fingerprint."""
    state: State = {"version": held.version, "born_s": held.born_s}
    others: State = {
        "fingerprint": held.fingerprint,
        "operations": [each.identity + each.fingerprint for each in held.operations],
    }
    if held.tombstone is not None:
        grave = held.tombstone._asdict()
        others["tombstone"] = {name: each for name, each in grave.items() if each not in (None, "")}
    if isinstance(held, stored.StoredRecord):
        mark, credit = held.learning, held.credit
        state |= {"anchored_at_s": held.anchor.at_s, "initial_salience": held.first_salience}
        others |= {"awaits": mark.awaits, "trace_id": mark.trace_id, "lookups": [*mark.lookups]}
        others["credit"] = None if credit is None else credit.as_json()
    else:
        others["facts"] = [*held.facts]
    return state | {name: each for name, each in others.items() if each}


def stored_record(
    record: MemoryRecord,
    state: Mapping[str, Any],
    *,
    audit_count: int,
    history: tuple[Delta, ...],
    origin: object = None,
) -> stored.StoredRecord:
    """The record with the state; raises KeyError and the like for a state of another form."""
    awaits, credit = state.get("awaits"), state.get("credit")
    return stored.StoredRecord(
        record,
        Anchor(record.salience, at_s=state["anchored_at_s"], born_s=state["born_s"]),
        **_of_any(state),
        tombstone=_tombstone(state) if "tombstone" in state else None,
        audit_count=audit_count,
        initial_salience=state.get("initial_salience"),
        history=history,
        learning=LearningMark(
            None if awaits is None else Stage(awaits),
            state.get("trace_id", ""),
            tuple(state.get("lookups", ())),
        ),
        credit=None if credit is None else CreditLedger.of_json(credit),
        origin=origin,
    )


def removed_record(
    identity: Mapping[str, Any],
    state: Mapping[str, Any],
    trail: tuple[AuditEntry, ...],
    *,
    audit_count: int,
    origin: object = None,
) -> stored.RemovedRecord:
    """The tombstone of the identity: id, type, scope and sensitivity; raises as `stored_record`."""
    return stored.RemovedRecord(
        **identity,
        **_of_any(state),
        born_s=state["born_s"],
        trail=trail,
        tombstone=_tombstone(state),
        audit_count=audit_count,
        facts=tuple(state.get("facts", ())),
        origin=origin,
    )


def _of_any(state: Mapping[str, Any]) -> State:
    joined = state.get("operations", ())
    return {
        "version": state["version"],
        "fingerprint": state.get("fingerprint", b""),
        "operations": tuple(
            stored.Operation(e[: stored.IDENTITY_BYTES], e[stored.IDENTITY_BYTES :]) for e in joined
        ),
    }


def _tombstone(state: Mapping[str, Any]) -> stored.Tombstone:
    return stored.Tombstone(**{"due_s": None, **state["tombstone"]})
