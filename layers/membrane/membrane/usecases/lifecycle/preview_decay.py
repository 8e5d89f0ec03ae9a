"""What a decay policy would do: how many records it would prune by when, without changing any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import DeletionPolicy, MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.lifecycle.replies import DecayForecast
from membrane.domain.lifecycle.requests import PreviewDecay
from membrane.domain.salience.arrays import Anchors, counts_until, prunable_at, re_anchored
from membrane.domain.salience.function import Curves, lifecycle_of_class
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Survey
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.indexes import RankPartition
from membrane.usecases.ports.services import Services

USUAL_PERIODS = tuple(timedelta(days=days) for days in (1, 7, 30, 90))
"""From now to the instants of a preview that names none."""

_LESS = "name fewer scopes in trust.scopes, or fewer memory_types"


@dataclass(frozen=True, slots=True)
class Preview:
    """A forecast for each scope and type that has candidates; instants as RFC 3339."""

    now: str
    instants: tuple[str, ...]
    forecasts: tuple[DecayForecast, ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """By what the records of a type are pruned; None leaves a record what it has."""

    threshold: float
    half_life_s: int | None = None
    deletion_policy: DeletionPolicy | None = None


@dataclass(frozen=True, slots=True)
class _Horizon:
    """The instants of a preview, in seconds since 1970, seen from `now_s`."""

    now_s: float
    instants_s: tuple[float, ...]
    curves: Curves

    def pruned(self, ranked: Sequence[Ranked], lifecycle: Lifecycle, rules: _Rules) -> list[int]:
        """How many of these records, which fade alike, are prunable by each of the instants.

        Under another half-life, salience as of now fades on with it, as where a record's lifecycle
        is changed. Another threshold or deletion policy moves no anchor.
        """
        anchors = Anchors.of(
            [
                record.anchor
                for record in ranked
                if (rules.deletion_policy or record.deletion_policy) is DeletionPolicy.AUTO_PRUNE
            ]
        )
        half_life_s = rules.half_life_s or lifecycle.decay.half_life_seconds
        if half_life_s != lifecycle.decay.half_life_seconds:
            anchors = re_anchored(anchors, self.now_s, lifecycle, self.curves)
            decay = lifecycle.decay.model_copy(update={"half_life_seconds": half_life_s})
            lifecycle = lifecycle.model_copy(update={"decay": decay})
        prunable_s = prunable_at(anchors, lifecycle, self.curves, rules.threshold)
        return counts_until(self.instants_s, prunable_s)


def preview_decay(
    request: PreviewDecay, call: Call, services: Services, sampling: Sampling = SAMPLING
) -> Preview:
    """Count what the request's trust covers, from the rank index alone; nothing is written.

    Exact up to `sampling.exact` candidates, then estimated. Raises InvalidArgument where the
    scopes must be named, are too many, or hold more than there is time for.
    """
    now = services.now()
    instants = request.instants or tuple(rfc3339(now + period) for period in USUAL_PERIODS)
    horizon = _Horizon(
        epoch_seconds(now),
        tuple(epoch_seconds(datetime.fromisoformat(instant)) for instant in instants),
        services.policy.custom_curves,
    )
    trust = call.principal.trust.narrowed(request.trust)
    survey = Survey(services, trust.ceiling, sampling, _LESS)
    forecasts = tuple(
        forecast
        for scope in _scopes(trust)
        for forecast in _forecasts(scope, request, horizon, survey)
        if forecast.candidates
    )
    return Preview(rfc3339(now), instants, forecasts)


def _scopes(trust: Trust) -> Sequence[str]:
    if trust.scopes is None or trust.prefixes:
        raise InvalidArgument(
            "the key covers more scopes than it names: name those to preview in trust.scopes, "
            f"{MAX_SCOPES} at most, or a user"
        )
    return named_scopes(trust.scopes, "a preview goes through", "in trust.scopes")


def _forecasts(
    scope: str, request: PreviewDecay, horizon: _Horizon, survey: Survey
) -> Iterator[DecayForecast]:
    threshold = survey.services.policy.prune_threshold
    partitions = survey.services.ranks.partitions(scope)
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
                _add(partition, (_Rules(threshold), asked), estimate, horizon, survey)
        yield DecayForecast(
            scope=scope,
            type=memory_type,
            candidates=estimate.population,
            today=estimate.counts[:instants],
            preview=estimate.counts[instants:],
            error_bound=estimate.error_bound,
        )


def _add(
    partition: RankPartition,
    rules: Sequence[_Rules],
    estimate: Estimate,
    horizon: _Horizon,
    survey: Survey,
) -> None:
    """Count its records under each of the rules, one after the other."""
    lifecycle = lifecycle_of_class(partition.decay_class)
    if lifecycle.pinned:
        return
    for stretch in survey.stretches(partition):
        if stretch.visible:
            counts = [n for each in rules for n in horizon.pruned(stretch.read, lifecycle, each)]
            estimate.add(stretch.visible, counts, weight=stretch.weight, span=stretch.span)
