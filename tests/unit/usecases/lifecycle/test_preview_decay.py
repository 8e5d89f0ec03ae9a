"""What a decay policy would do: for every scope and type, counted without a change."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import MemoryType, Permission
from membrane.domain.lifecycle import changes as lifecycles
from membrane.domain.lifecycle.replies import DecayForecast
from membrane.domain.lifecycle.requests import ChangeLifecycle, PreviewDecay
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.records.usefulness import CreditLedger, Grant
from membrane.domain.revision.requests import Retract
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import prunable_at
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.preview_decay import Preview, preview_decay
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.contests import retract_record
from tests.builders.records import complaints, refusal
from tests.builders.requests import ALPHA, OWNER, call, full_record, standing, written
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.operators import Drawn
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

HOUR = timedelta(hours=1)
CURVES = {"steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.0))}
POLICY = PolicyDefaults(custom_curves=CURVES)
PAYLOADS: Mapping[str, JsonObject] = {
    "episodic": {"kind": "episodic", "timeline": []},
    "semantic": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
    },
    "competence": {"kind": "competence", "skill_name": "deploy", "triggers": [], "recipe": []},
}


def ingested(services: Services, memory_type: str = "episodic", **fields: Any) -> MemoryRecord:
    """A new record; `decay` goes into its lifecycle, as `pinned` and `deletion_policy` do."""
    parts = ("decay", "pinned", "deletion_policy")
    lifecycle = {name: fields.pop(name) for name in parts if name in fields}
    asked = full_record(
        type=memory_type,
        payload=PAYLOADS[memory_type],
        lifecycle=lifecycle,
        **{"scope": "shared", **fields},
    )
    return written(ingest_record(asked, call(asked), services))


def previewed(
    services: Services,
    *,
    hours: tuple[float, ...] = (10,),
    principal: Principal = ALPHA,
    sampling: Sampling = SAMPLING,
    **asked: Any,
) -> Preview:
    """The preview, at instants so many hours from now."""
    instants = [rfc3339(services.now() + HOUR * each) for each in hours]
    request = validate(PreviewDecay, {"instants": instants, **asked})
    return preview_decay(request, call(request, principal), services, sampling)


def only(preview: Preview) -> DecayForecast:
    """Its one forecast."""
    (forecast,) = preview.forecasts
    return forecast


@pytest.fixture
def records(clock: FakeClock) -> TableRecords:
    """An empty store, with the custom curve."""
    return TableRecords(clock, POLICY)


@pytest.fixture
def services(clock: FakeClock, records: TableRecords) -> Services:
    """The world of the use cases, with a custom curve."""
    records.policy = POLICY
    return make_services(records=records, now=clock, policy=POLICY)


# --- What is counted --------------------------------------------------------------------------


def test_a_record_is_counted_from_the_instant_at_which_it_may_be_pruned(
    services: Services,
) -> None:
    ingested(services)

    preview = previewed(services, hours=(9.9657, 9.9658, 0, 100))

    assert only(preview).today == (0, 1, 0, 1)
    assert only(preview).preview == (0, 1, 0, 1)
    assert (only(preview).candidates, only(preview).error_bound) == (1, 0)


def test_without_instants_it_looks_a_day_a_week_a_month_and_a_quarter_ahead(
    services: Services,
) -> None:
    ingested(services, "semantic", decay={"half_life_seconds": 86_400})

    preview = previewed(services, instants=None)

    assert preview.now == rfc3339(MORNING)
    assert preview.instants == tuple(
        rfc3339(MORNING + timedelta(days=days)) for days in (1, 7, 30, 90)
    )
    assert only(preview).today == (0, 0, 1, 1)


def test_what_is_due_already_is_counted_at_every_instant_to_come(
    services: Services, clock: FakeClock
) -> None:
    ingested(services)
    clock.advance(hours=11)

    assert only(previewed(services, hours=(0, 1))).today == (1, 1)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"deletion_policy": "manual_only"}, (1, 0)),
        ({"deletion_policy": "never"}, (1, 0)),
        ({"decay": {"min_salience": 0.01}}, (1, 0)),
        ({"decay": {"max_age_seconds": 60, "min_salience": 0.5}}, (1, 1)),
        ({"decay": {"curve": "linear"}}, (1, 1)),
        ({"decay": {"curve": "custom", "custom_curve": "steps"}}, (1, 1)),
        ({"salience": 0.0}, (1, 1)),
        ({"salience": 100.0}, (1, 0)),
    ],
    ids=str,
)
def test_only_what_may_be_pruned_and_has_faded_is_counted_as_pruned(
    services: Services, fields: dict[str, Any], expected: tuple[int, int]
) -> None:
    ingested(services, **fields)

    forecast = only(previewed(services, hours=(10,)))

    assert (forecast.candidates, *forecast.today) == expected


def test_a_pinned_record_is_no_candidate(services: Services) -> None:
    ingested(services, pinned=True)

    assert previewed(services, deletion_policy="auto_prune").forecasts == ()


def test_a_retracted_record_is_no_candidate_for_it_is_kept_for_its_time(services: Services) -> None:
    _, taken_back = ingested(services, "semantic"), ingested(services, "semantic")
    request = Retract(id=taken_back.id)
    retract_record(request, call(request), services)

    forecast = only(previewed(services, hours=(0, 10_000)))

    assert (forecast.candidates, forecast.today) == (1, (0, 1))


def test_a_preview_changes_nothing(services: Services, records: TableRecords) -> None:
    ingested(services)
    before = records.everything()

    previewed(services, half_life_seconds={"episodic": 60}, deletion_policy="auto_prune")

    assert records.everything() == before


# --- What is asked ----------------------------------------------------------------------------


def test_another_half_life_lets_the_salience_of_now_fade_on_with_it(
    services: Services, clock: FakeClock
) -> None:
    ingested(services)
    clock.advance(hours=5)  # a 32nd is left: five more half-lives to go

    preview = previewed(
        services, hours=(4.9, 5, 9.9, 10), half_life_seconds={"episodic": 7_200, "working": 1}
    )

    assert only(preview).today == (0, 1, 1, 1)
    assert only(preview).preview == (0, 0, 0, 1)


def test_the_same_half_life_changes_nothing_whatever_the_curve(
    services: Services, clock: FakeClock
) -> None:
    ingested(services, decay={"curve": "linear", "half_life_seconds": 3_600})
    clock.advance(hours=1)

    preview = previewed(services, hours=(0.9, 1), half_life_seconds={"episodic": 3_600})

    assert only(preview).preview == only(preview).today == (0, 1)


def test_another_threshold_moves_no_anchor(services: Services, clock: FakeClock) -> None:
    ingested(services, decay={"curve": "linear"})
    clock.advance(hours=0.5)  # 0.75 is left

    preview = previewed(services, hours=(0.4, 0.5, 1.5), threshold=0.5)

    assert only(preview).preview == (0, 1, 1)
    assert only(preview).today == (0, 0, 1)


@pytest.mark.parametrize(
    ("policy", "expected"), [("auto_prune", 3), ("manual_only", 0), ("never", 0)]
)
def test_another_deletion_policy_is_that_of_every_record(
    services: Services, policy: str, expected: int
) -> None:
    for own in ("auto_prune", "manual_only", "never"):
        ingested(services, deletion_policy=own)

    forecast = only(previewed(services, deletion_policy=policy))

    assert (forecast.today, forecast.preview) == ((1,), (expected,))


def test_today_goes_by_the_threshold_of_the_settings(
    clock: FakeClock, records: TableRecords
) -> None:
    policy = replace(POLICY, prune_threshold=0.5)
    services = make_services(records=records, now=clock, policy=policy)
    ingested(services)

    forecast = only(previewed(services, hours=(1, 2), threshold=0.25))

    assert (forecast.today, forecast.preview) == ((1, 1), (0, 1))


# --- Whose records ----------------------------------------------------------------------------


def test_each_scope_and_type_with_candidates_has_a_forecast_unscoped_ones_first(
    services: Services,
) -> None:
    ingested(services, scope="shared")
    ingested(services, scope="shared")
    ingested(services, "semantic", scope="project:alpha")
    ingested(services, scope="project:alpha")
    ingested(services, "competence", scope=None)

    found = [(each.scope, each.type, each.candidates) for each in previewed(services).forecasts]

    assert found == [
        ("", "competence", 1),
        ("project:alpha", "episodic", 1),
        ("project:alpha", "semantic", 1),
        ("shared", "episodic", 2),
    ]


def test_other_scopes_and_what_is_too_sensitive_do_not_exist(services: Services) -> None:
    ingested(services, scope="project:beta")
    ingested(services, sensitivity="high")
    ingested(services, sensitivity="medium")

    assert only(previewed(services)).candidates == 1


@pytest.mark.parametrize(
    ("trust", "expected"),
    [
        ({"max_sensitivity": "low"}, {"": 1, "project:alpha": 1}),
        ({"max_sensitivity": "hyper"}, {"": 1, "project:alpha": 1, "shared": 1}),
        ({"scopes": ["shared"]}, {"": 1, "shared": 1}),
        ({"scopes": ["project:beta"]}, {"": 1}),
        ({"scopes": ["*"]}, {"": 1, "project:alpha": 1, "shared": 1}),
        ({"scopes": ["x" * 257]}, {"": 1}),
    ],
    ids=str,
)
def test_the_trust_of_the_request_narrows_what_is_counted(
    services: Services, trust: dict[str, Any], expected: dict[str, int]
) -> None:
    ingested(services, scope="shared", sensitivity="medium")
    ingested(services, scope="project:alpha")
    ingested(services, scope=None)

    counted = {each.scope: each.candidates for each in previewed(services, trust=trust).forecasts}

    assert counted == expected


def test_memory_types_narrow_it_too(services: Services) -> None:
    for memory_type in PAYLOADS:
        ingested(services, memory_type)

    preview = previewed(services, memory_types=["semantic", "semantic", "working"])

    assert only(preview).type is MemoryType.SEMANTIC


@pytest.mark.parametrize("trust", [{}, {"scopes": []}, {"scopes": ["*"]}], ids=str)
def test_a_key_for_every_scope_is_told_to_name_those_it_means(
    services: Services, trust: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument, match=r"name those to preview in trust\.scopes"):
        previewed(services, principal=OWNER, trust=trust)


def test_more_scopes_than_fifty_are_to_be_named(services: Services) -> None:
    many = principal_of("many", Permission, [f"scope-{n}" for n in range(51)], "hyper")
    ingested(services, scope="scope-50")

    with pytest.raises(InvalidArgument, match=r"50 scopes at most: name them in trust\.scopes"):
        previewed(services, principal=many)

    fifty = {"scopes": [f"scope-{n}" for n in range(1, 51)]}
    assert only(previewed(services, principal=many, trust=fifty)).scope == "scope-50"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"idempotency_key": "k"}, "idempotency_key"),
        ({"half_life": {"episodic": 1}}, "half_life"),
        ({"half_life_seconds": {"episodic": 0}}, "half_life_seconds.episodic"),
        ({"half_life_seconds": {"episodic": 1.5}}, "half_life_seconds.episodic"),
        ({"threshold": 0}, "threshold"),
        ({"threshold": -0.1}, "threshold"),
        ({"threshold": 1e-101}, "threshold"),
        ({"threshold": 1e101}, "threshold"),
        ({"deletion_policy": "sometimes"}, "deletion_policy"),
        ({"memory_types": ["dream"]}, "memory_types.0"),
        ({"instants": []}, "instants"),
        ({"instants": ["2026-01-01T00:00:00Z"] * 25}, "instants"),
        ({"instants": ["tomorrow"]}, "instants.0"),
        ({"trust": {"scope": "shared"}}, "trust.scope"),
    ],
    ids=str,
)
def test_what_is_no_preview_is_refused_by_its_field(asked: JsonObject, field: str) -> None:
    assert next(iter(complaints(refusal(PreviewDecay, asked)))) == field


def test_a_half_life_of_no_type_is_refused() -> None:
    refusal(PreviewDecay, {"half_life_seconds": {"dream": 1}})


# --- How exact it is --------------------------------------------------------------------------


def test_beyond_the_limit_counts_are_estimated_and_say_how_well(services: Services) -> None:
    for _ in range(30):
        ingested(services)
    sampling = Sampling(exact=6, block=2, blocks=6)

    forecast = only(previewed(replace(services, draw=Drawn((1, 5))), sampling=sampling))

    assert forecast.candidates == 30
    assert forecast.today == (6 + 2 * 6 + 2 * 6,)
    assert forecast.error_bound == 24, "Hoeffding allows 28 and there are only so many"


def test_what_is_estimated_is_on_average_what_is_true(services: Services) -> None:
    for n in range(12):
        ingested(services, salience=2.0**-n)
    sampling = Sampling(exact=2, block=1, blocks=10)
    exactly = only(previewed(services, hours=(2, 5, 8)))

    estimates = [
        only(previewed(replace(services, draw=Drawn((n,))), hours=(2, 5, 8), sampling=sampling))
        for n in range(10)
    ]

    means = [sum(each.today[n] for each in estimates) / 10 for n in range(3)]
    assert means == list(exactly.today)


# --- What really happens ----------------------------------------------------------------------

DECAYS = st.fixed_dictionaries(
    {"half_life_seconds": st.sampled_from([60, 3_600, 86_400])},
    optional={
        "min_salience": st.sampled_from([0.0005, 0.1]),
        "max_age_seconds": st.sampled_from([7_200, 100_000]),
    },
).flatmap(
    lambda decay: st.sampled_from(
        [
            decay,
            {**decay, "curve": "linear"},
            {**decay, "curve": "custom", "custom_curve": "steps"},
        ]
    )
)
RECORDS = st.fixed_dictionaries(
    {
        "memory_type": st.sampled_from(list(PAYLOADS)),
        "decay": DECAYS,
        "salience": st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0]),
        "pinned": st.sampled_from([False, False, True]),
        "deletion_policy": st.sampled_from(["auto_prune", "auto_prune", "manual_only", "never"]),
        "later_s": st.floats(0, 5_000),
    }
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "half_life_seconds": st.dictionaries(
            st.sampled_from(list(PAYLOADS)), st.sampled_from([30, 3_600, 900_000])
        ),
        "threshold": st.sampled_from([0.0001, 0.05, 2.0]),
        "deletion_policy": st.sampled_from(["auto_prune", "never"]),
    },
)


def changed(stored: StoredRecord, asked: JsonObject, services: Services) -> StoredRecord:
    """The record after a change of its lifecycle to what a preview asks for."""
    half_life_s = asked.get("half_life_seconds", {}).get(stored.record.type)
    decay = {} if half_life_s is None else {"half_life_seconds": half_life_s}
    policy = asked.get("deletion_policy", stored.record.lifecycle.deletion_policy)
    request = validate(
        ChangeLifecycle, {"id": stored.id, "decay": decay, "deletion_policy": str(policy)}
    )
    making = Making(stored.id, "node", services.now(), "agent", "00")
    return lifecycles.with_lifecycle(stored, request, Why("agent", ""), making, services.policy)


@given(
    made=st.lists(RECORDS, min_size=1, max_size=8),
    asked=ASKED,
    hours=st.lists(st.floats(0, 2_000), min_size=1, max_size=5),
)
def test_it_counts_what_each_record_would_really_come_to(
    made: list[dict[str, Any]], asked: JsonObject, hours: list[float]
) -> None:
    clock = FakeClock()
    records = TableRecords(clock, POLICY)
    services = make_services(records=records, now=clock, policy=POLICY)
    for fields in made:
        ingested(services, **{name: fields[name] for name in fields if name != "later_s"})
        clock.advance(seconds=fields["later_s"])

    preview = previewed(services, hours=tuple(hours), **asked)

    instants_s = [epoch_seconds(services.now() + HOUR * each) for each in hours]
    held = [each for each in records.places.values() if isinstance(each, StoredRecord)]
    for each in preview.forecasts:
        own = [
            stored
            for stored in held
            if stored.record.type is each.type and not stored.record.lifecycle.pinned
        ]
        today = [prunable_at(one.anchor, one.record.lifecycle, CURVES) for one in own]
        then = [
            prunable_at(one.anchor, one.record.lifecycle, CURVES, asked.get("threshold", 0.001))
            for one in (changed(stored, asked, services) for stored in own)
        ]
        assert each.candidates == len(own)
        for counts, prunable in ((each.today, today), (each.preview, then)):
            assert list(counts) == [
                sum(at_s is not None and at_s <= instant_s for at_s in prunable)
                for instant_s in instants_s
            ]


# --- What was used ----------------------------------------------------------------------------

WON, LOST = Grant(0.2, 1.0, failed=False), Grant(0.2, 1.0, failed=True)


def credited(records: TableRecords, record: MemoryRecord, *grants: Grant) -> str:
    """The id of the record, which has got the credit."""
    held, ledger = standing(record.id, records), CreditLedger()
    for grant in grants:
        ledger = ledger.after(grant, "agent", rfc3339(MORNING))
    records.places[record.id] = replace(held, credit=ledger)
    return record.id


def test_of_the_records_to_be_pruned_the_used_ones_are_named_the_most_useful_first(
    services: Services, records: TableRecords
) -> None:
    failed = credited(records, ingested(services), LOST)
    helped = credited(records, ingested(services), WON, WON, WON)
    ingested(services)

    used = previewed(services, hours=(100,)).used

    assert [(each.id, each.note) for each in used] == [
        (helped, "used 3 times, last on 2026-03-01"),
        (failed, "used once, last on 2026-03-01"),
    ]
    assert used[0].usefulness["successes"] == 3.0
    assert used[0].prunable_at.startswith("2026-03-01T18:57:57")


def test_a_used_record_that_is_not_to_be_pruned_is_not_named(
    services: Services, records: TableRecords
) -> None:
    credited(records, ingested(services), WON)
    credited(records, ingested(services, pinned=True), WON)

    assert previewed(services, hours=(9,)).used == ()


def test_the_policy_of_the_request_decides_which_used_records_are_named(
    services: Services, records: TableRecords
) -> None:
    named = credited(records, ingested(services), WON)

    (used,) = previewed(services, hours=(9,), half_life_seconds={"episodic": 60}).used

    assert used.id == named


def test_a_used_record_beyond_the_trust_is_not_named(
    services: Services, records: TableRecords
) -> None:
    credited(records, ingested(services, sensitivity="hyper"), WON)

    assert previewed(services, hours=(100,)).used == ()


def test_at_most_a_hundred_records_are_looked_at_the_first_to_be_pruned(
    services: Services, records: TableRecords
) -> None:
    for number in range(120):
        credited(records, ingested(services, salience=1.0 - number / 1_000), WON)

    used = previewed(services, hours=(100,)).used

    assert len(used) == 100
    assert max(each.prunable_at for each in used) < "2026-03-01T18:57:00"
