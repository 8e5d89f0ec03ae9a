"""Preview a decay policy: how many records a sweep would prune by given instants."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust, named_scopes
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import DeletionPolicy, MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.pruning import Ranked
from membrane.domain.lifecycle.replies import DecayForecast, DecayPreview, UsedRecord
from membrane.domain.lifecycle.requests import PreviewDecay
from membrane.domain.records.records import as_json
from membrane.domain.records.stored import CreditSummary
from membrane.domain.records.usefulness import day_of
from membrane.domain.salience import arrays
from membrane.domain.salience.function import Curves, lifecycle_of_class
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Stretch, Survey
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.indexes import RankPartition
from membrane.usecases.ports.world import World

USUAL_PERIODS = tuple(timedelta(days=days) for days in (1, 7, 30, 90))
"""The periods from now to the instants of a request without instants."""

MAX_LOOKED_AT = 100
"""The records, the first to be pruned, whose credit a preview reads."""

_LESS = "name fewer scopes in trust.scopes, or fewer memory_types"


@dataclass(frozen=True, slots=True)
class _Rules:
    """The pruning rules of a type; None keeps the setting of each record."""

    threshold: float
    half_life_s: int | None = None
    deletion_policy: DeletionPolicy | None = None


@dataclass(frozen=True, slots=True)
class _Horizon:
    """The instants of a preview and the present, in seconds since 1970."""

    now_s: float
    instants_s: tuple[float, ...]
    curves: Curves

    def prunable(
        self, ranked: Sequence[Ranked], lifecycle: Lifecycle, rules: _Rules
    ) -> tuple[Sequence[Ranked], arrays.Floats]:
        """The records of a decay class that may be pruned, and when each is prunable.

        A new half-life applies from the present salience on, like a change of lifecycle. A new
        threshold or deletion policy moves no anchor.
        """
        fading = [
            record
            for record in ranked
            if (rules.deletion_policy or record.deletion_policy) is DeletionPolicy.AUTO_PRUNE
        ]
        anchors = arrays.Anchors.of([record.anchor for record in fading])
        half_life_s = rules.half_life_s or lifecycle.decay.half_life_seconds
        if half_life_s != lifecycle.decay.half_life_seconds:
            anchors = arrays.anchors_at(anchors, self.now_s, lifecycle, self.curves)
            decay = lifecycle.decay.model_copy(update={"half_life_seconds": half_life_s})
            lifecycle = lifecycle.model_copy(update={"decay": decay})
        return fading, arrays.prunable_at(anchors, lifecycle, self.curves, rules.threshold)


@dataclass(slots=True)
class _First:
    """The first records to be pruned under the previewed policy, by the last instant."""

    by_s: float
    found: list[tuple[float, str]] = field(default_factory=list)
    """Instants in seconds since 1970, with record ids."""

    def add(self, fading: Sequence[Ranked], prunable_s: arrays.Floats) -> None:
        several = arrays.soonest(prunable_s, self.by_s, MAX_LOOKED_AT)
        self.found += [(at_s, fading[position].record_id) for at_s, position in several]
        self.found = sorted(self.found)[:MAX_LOOKED_AT]

    def records_with_credit(self, trust: Trust, world: World) -> tuple[UsedRecord, ...]:
        """The records with credit within the trust, the most useful first; at most one request."""
        at_s = {record_id: at_s for at_s, record_id in self.found}
        summaries = world.records.credit_summaries([*at_s]) if at_s else ()
        visible = [each for each in summaries if trust.allows(each.scope, each.sensitivity)]
        visible.sort(key=lambda each: (-each.credit.mean, each.record_id))
        return tuple(_used_record(each, at_s[each.record_id]) for each in visible)


def preview_decay(
    request: PreviewDecay, call: Call, world: World, sampling: Sampling = SAMPLING
) -> DecayPreview:
    """Count the records within the trust of the request, from the rank index; nothing is written.

    Counts are exact up to `sampling.exact` candidates, then estimated. Raises InvalidArgument for
    unnamed scopes, too many scopes, or more records than can be read in time.
    """
    now = world.now()
    instants = request.instants or tuple(rfc3339(now + period) for period in USUAL_PERIODS)
    horizon = _Horizon(
        epoch_seconds(now),
        tuple(epoch_seconds(datetime.fromisoformat(instant)) for instant in instants),
        world.policy.custom_curves,
    )
    trust = call.principal.trust.narrow_to(request.trust)
    survey = Survey(world, trust.ceiling, sampling, _LESS)
    first = _First(max(horizon.instants_s))
    forecasts = tuple(
        forecast
        for scope in _scopes(trust)
        for forecast in _forecasts(scope, request, horizon, survey, first)
        if forecast.candidates
    )
    used = first.records_with_credit(trust, world)
    return {
        "now": rfc3339(now),
        "instants": list(instants),
        "candidates": sum(forecast.candidates for forecast in forecasts),
        "exact": not any(forecast.error_bound for forecast in forecasts),
        "forecasts": [asdict(forecast) for forecast in forecasts],
        "used": [asdict(record) for record in used],
    }


def _used_record(summary: CreditSummary, prunable_s: float) -> UsedRecord:
    credit = summary.credit
    times = "once" if credit.used == 1 else f"{credit.used} times"
    return UsedRecord(
        id=summary.record_id,
        scope=summary.scope,
        prunable_at=rfc3339(from_epoch_seconds(prunable_s)),
        usefulness=as_json(credit.as_part()),
        note=f"used {times}, last on {day_of(credit.last_used_at)}",
    )


def _scopes(trust: Trust) -> Sequence[str]:
    if trust.scopes is None or trust.prefixes:
        raise InvalidArgument(
            "the key covers more scopes than it names: name those to preview in trust.scopes, "
            f"{MAX_SCOPES} at most, or a user"
        )
    return named_scopes(trust.scopes, "a preview goes through", "in trust.scopes")


def _forecasts(
    scope: str, request: PreviewDecay, horizon: _Horizon, survey: Survey, first: _First
) -> Iterator[DecayForecast]:
    threshold = survey.world.policy.prune_threshold
    partitions = survey.world.ranks.partitions(scope)
    instants = len(horizon.instants_s)
    for memory_type in dict.fromkeys(request.memory_types or MemoryType):
        asked = _Rules(
            request.threshold or threshold,
            request.half_life_seconds.get(memory_type),
            request.deletion_policy,
        )
        estimate = Estimate(2 * instants)
        for partition in partitions:
            if partition.type is memory_type:
                for counts, stretch in _counts_of(
                    partition, (_Rules(threshold), asked), horizon, survey, first
                ):
                    estimate.add(stretch.visible, counts, weight=stretch.weight, span=stretch.span)
        yield DecayForecast(
            scope=scope,
            type=memory_type,
            candidates=estimate.population,
            today=estimate.counts[:instants],
            preview=estimate.counts[instants:],
            error_bound=estimate.error_bound,
        )


def _counts_of(
    partition: RankPartition,
    rules: Sequence[_Rules],
    horizon: _Horizon,
    survey: Survey,
    first: _First,
) -> Iterator[tuple[list[int], Stretch]]:
    """Each stretch of a partition with the counts under each of the rules, in their order.

    `first` gets the records that are prunable under the last rules.
    """
    lifecycle = lifecycle_of_class(partition.decay_class)
    if lifecycle.pinned:
        return
    for stretch in survey.stretches(partition):
        if stretch.visible:
            found = [horizon.prunable(stretch.read, lifecycle, each) for each in rules]
            first.add(*found[-1])
            counts = [n for _, at_s in found for n in arrays.counts_until(horizon.instants_s, at_s)]
            yield counts, stretch
