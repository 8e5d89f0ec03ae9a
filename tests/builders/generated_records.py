"""Records of every type, in every kind of scope, made of hostile texts: for hypothesis."""

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import strategies as st
from pydantic import TypeAdapter

from membrane.domain.language.fields import MAX_SALIENCE, VANISHING
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import (
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    ProvenanceKind,
    Sensitivity,
)
from membrane.domain.records.payloads import Payload
from membrane.domain.records.records import MemoryRecord, Provenance, ProvenanceSource
from membrane.domain.records.stored import Operation, StoredRecord
from membrane.domain.records.usefulness import CreditLedger
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from tests.builders.records import interpretations
from tests.builders.stored_records import DEFAULT, NOW, NOW_S, entry
from tests.worlds.stores import CURVE

SCOPES = (
    "",
    "a",
    "ab",
    "project:alpha",
    "project:alpha:beta",
    "project#alpha",
    "rank#episodic#pinned#0#=a",
    "=a",
    "-",
    "=",
    "#",
    ":",
    "%",
    "%23",
    " ",
    " a",
    "a ",
    "with several  spaces",
    "Ünïcødé/日本語/🧠",
    "e\u0301",
    "\u00e9",
    "line\nbreak",
    "nul\x00inside",
    "s" * 256,
    "s" * 255,
    "é" * 128,
)
"""Scopes that a careless key would mix up; the last ones are as long as a scope may be."""

PROFILES = (
    DEFAULT,
    DecayProfile(curve=DecayCurve.EXPONENTIAL, half_life_seconds=1, reinforcement_gain=0),
    DecayProfile(
        curve=DecayCurve.EXPONENTIAL,
        half_life_seconds=86_400,
        min_salience=0.25,
        max_age_seconds=31_536_000,
        reinforcement_gain=1e100,
    ),
    DecayProfile(curve=DecayCurve.LINEAR, half_life_seconds=3_162_240_000, reinforcement_gain=0.2),
    DecayProfile(
        curve=DecayCurve.LINEAR, half_life_seconds=60, min_salience=1e-100, reinforcement_gain=0.2
    ),
    DecayProfile(
        curve=DecayCurve.CUSTOM, half_life_seconds=600, custom_curve=CURVE, reinforcement_gain=0.2
    ),
)
"""Fewer than the classes that a scope may have of one type."""

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["", "\x00", "null", "\\", '"', "\u2028", "\ufeff", "\uffff", "🧠" * 10, "x" * 3_000]
)
_scopes = st.text(st.characters(exclude_categories=["Cs"]), max_size=64)
_numbers = (
    st.integers(-(2**80), 2**80) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
)
_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)
TEXTS, VALUES = _texts, _values
"""For what else is stored."""
_objects = st.dictionaries(_texts, _values, max_size=3)
_listed = st.lists(_texts, max_size=3)
_instants = st.datetimes().map(lambda naive: naive.isoformat() + "Z")
_fractions = st.floats(0, 1)
_counts = st.integers(0, 2**63 - 1)


def _of(required: dict[str, Any], /, **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


def _lists(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(element, max_size=2)


_episodes = _of(
    {
        "kind": st.just("episodic"),
        "timeline": _lists(
            _of({"t": _instants, "event_kind": _texts, "ref": _texts}, summary=_texts)
        ),
    },
    tool_graph=_lists(
        _of(
            {"id": _texts, "tool": _texts},
            args=_objects,
            result=_values,
            timestamp=_instants,
            depends_on=_listed,
        )
    ),
    environment=_of(
        {},
        os=_texts,
        tool_versions=st.dictionaries(_texts, _texts, max_size=2),
        working_directory=_texts,
        context=_objects,
    ),
    outcome=st.sampled_from(["success", "failure", "partial"]),
    artifacts=_listed,
    tool_graph_ref=_texts,
)
_working = _of(
    {
        "kind": st.just("working"),
        "thread_id": _texts,
        "state": st.sampled_from(["planning", "executing", "blocked", "waiting", "done"]),
    },
    active_constraints=_lists(
        _of({"type": _texts, "key": _texts, "value": _values}, required=st.booleans())
    ),
    next_actions=_listed,
    open_questions=_listed,
    context_summary=_texts,
)
_facts = _of(
    {
        "kind": st.just("semantic"),
        "subject": _texts,
        "predicate": _texts,
        "object": _values,
        "validity": _of(
            {"mode": st.sampled_from(["global", "conditional", "timeboxed"])},
            conditions=_objects,
            start=_instants,
            end=_instants,
        ),
    },
    evidence=_lists(
        st.fixed_dictionaries({"source_type": _texts, "source_id": _texts, "timestamp": _instants})
    ),
    revision_policy=_texts,
    revision=_of(
        {},
        supersedes=_texts,
        superseded_by=_texts,
        status=st.sampled_from(["active", "contested", "retracted"]),
    ),
)
_skills = _of(
    {
        "kind": st.just("competence"),
        "skill_name": _texts,
        "triggers": _lists(_of({"signal": _texts}, conditions=_objects)),
        "recipe": _lists(
            _of({"step": _texts}, tool=_texts, args_schema=_objects, validation=_texts)
        ),
    },
    required_tools=_listed,
    failure_modes=_listed,
    fallbacks=_listed,
    performance=_of(
        {},
        success_count=_counts,
        success_rate=_fractions,
        avg_latency_ms=st.floats(0, 1e300),
        last_used_at=_instants,
    ),
    version=_texts,
)
_plans = _of(
    {
        "kind": st.just("plan_graph"),
        "plan_id": _texts,
        "version": _texts,
        "nodes": st.tuples(
            _of({"id": st.just("first"), "op": _texts}, params=_objects, guards=_objects),
            _of({"id": st.just("second"), "op": _texts}),
        ).map(list),
        "edges": _lists(
            st.fixed_dictionaries(
                {
                    "from": st.just("first"),
                    "to": st.just("second"),
                    "kind": st.sampled_from(["data", "control"]),
                }
            )
        ),
    },
    intent=_texts,
    constraints=_objects,
    inputs_schema=_objects,
    metrics=_of({}, failure_rate=_fractions, execution_count=_counts, last_executed_at=_instants),
)
_entities = _of(
    {"kind": st.just("entity"), "canonical_name": _texts},
    primary_type=_texts,
    types=_listed,
    aliases=_lists(_texts | _of({"value": _texts}, kind=_texts, locale=_texts)),
    identifiers=_lists(st.fixed_dictionaries({"namespace": _texts, "value": _texts})),
    summary=_texts,
)

_PAYLOAD: TypeAdapter[Payload] = TypeAdapter(Payload)

payloads: st.SearchStrategy[Payload] = st.one_of(
    _episodes, _working, _facts, _skills, _plans, _entities
).map(_PAYLOAD.validate_python)
"""Payloads of all six types."""

_saliences = st.just(0.0) | st.floats(VANISHING, MAX_SALIENCE)

_provenances = st.builds(
    Provenance,
    sources=st.lists(
        st.builds(
            ProvenanceSource,
            kind=st.sampled_from(ProvenanceKind),
            ref=_texts,
            hash=_texts,
            created_by=_texts,
            timestamp=st.none() | _instants,
        ),
        max_size=2,
    ).map(tuple),
    created_by=_texts,
)

_lifecycles = st.builds(
    Lifecycle,
    decay=st.sampled_from(PROFILES),
    last_reinforced_at=_instants,
    pinned=st.booleans(),
    deletion_policy=st.sampled_from(DeletionPolicy),
)

_operations = st.lists(
    st.builds(
        Operation,
        identity=st.binary(min_size=12, max_size=12),
        fingerprint=st.binary(min_size=4, max_size=4),
    ),
    max_size=3,
).map(tuple)


_numbers_of_ids = count(1)


@st.composite
def records(draw: Callable[[st.SearchStrategy[Any]], Any]) -> StoredRecord:
    """A record of any type in any scope, at any salience, with an id of its own."""
    record_id = f"generated-{next(_numbers_of_ids)}"
    payload = draw(payloads)
    salience = draw(_saliences)
    born_s = NOW_S + draw(st.integers(-10_000_000, 10_000_000)) / 64
    trail = [entry(record_id, actor=draw(_texts))]
    for _ in range(draw(st.integers(0, 2))):
        trail.append(entry(record_id, trail, actor=draw(_texts)))
    record = MemoryRecord(
        id=record_id,
        type=MemoryType(payload.kind),
        sensitivity=draw(st.sampled_from(Sensitivity)),
        confidence=draw(_fractions),
        salience=salience,
        scope=draw(st.sampled_from(SCOPES) | _scopes),
        tags=tuple(draw(st.lists(_texts, max_size=3, unique=True))),
        created_at=_spelled(born_s),
        updated_at=NOW,
        lifecycle=draw(_lifecycles),
        provenance=draw(_provenances),
        payload=payload,
        interpretation=draw(st.none() | interpretations(_texts)),
        audit_log=tuple(trail),
    )
    return StoredRecord(
        record=record,
        anchor=Anchor(salience, at_s=born_s + draw(st.floats(0, 1e9)), born_s=born_s),
        version=draw(st.integers(1, 2**40)),
        fingerprint=draw(st.just(b"") | st.binary(min_size=32, max_size=32)),
        operations=draw(_operations),
        credit=draw(st.none() | _credits),
    )


_givers = st.binary(min_size=6, max_size=6).map(bytes.hex)
_amounts = st.floats(0, 1e6)
_credits = st.builds(
    CreditLedger,
    successes=_amounts,
    failures=_amounts,
    used=st.integers(1, 2**40),
    last_used_at=st.just(NOW),
    writer=_givers,
    day=st.just(NOW[:10]),
    given=st.dictionaries(_givers, _amounts, max_size=16),
)


def _spelled(seconds: float) -> str:
    return rfc3339(from_epoch_seconds(seconds))
