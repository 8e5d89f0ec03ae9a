"""Preview a decay policy: how many records a sweep would prune by given instants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import DeletionPolicy, MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.lifecycle.requests import PreviewDecay
from membrane.domain.salience.arrays import Anchors, anchors_at, counts_until, prunable_at
from membrane.domain.salience.function import Curves, lifecycle_of_class
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Survey
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.indexes import RankPartition
from membrane.usecases.ports.services import Services

USUAL_PERIODS = tuple(timedelta(days=days) for days in (1, 7, 30, 90))
"""The periods from now to the instants of a request without instants."""

_LESS = "name fewer scopes in trust.scopes, or fewer memory_types"


@dataclass(frozen=True, slots=True)
class Forecast:
    """The number of pruned records of a scope ("" = unscoped) and type, by instant."""

    scope: str
    type: MemoryType
    candidates: int
    """Records that fade: all except pinned and retracted records."""
    today: tuple[int, ...]
    preview: tuple[int, ...]
    """The numbers if the requested policy applied from now on."""
    error_bound: int
    """The largest error of any number, see `Estimate`; 0 for exact counts."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A forecast for each scope and type that has candidates; instants as RFC 3339."""

    now: str
    instants: tuple[str, ...]
    forecasts: tuple[Forecast, ...]


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

    def prunable_counts(
        self, ranked: Sequence[Ranked], lifecycle: Lifecycle, rules: _Rules
    ) -> list[int]:
        """How many records of a decay class are prunable by each instant.

        A new half-life applies from the present salience on, like a change of lifecycle. A new
        threshold or deletion policy moves no anchor.
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
            anchors = anchors_at(anchors, self.now_s, lifecycle, self.curves)
            decay = lifecycle.decay.model_copy(update={"half_life_seconds": half_life_s})
            lifecycle = lifecycle.model_copy(update={"decay": decay})
        prunable_s = prunable_at(anchors, lifecycle, self.curves, rules.threshold)
        return counts_until(self.instants_s, prunable_s)


def preview_decay(
    request: PreviewDecay, call: Call, services: Services, sampling: Sampling = SAMPLING
) -> Preview:
    """Count the records within the trust of the request, from the rank index; nothing is written.

    Counts are exact up to `sampling.exact` candidates, then estimated. Raises InvalidArgument for
    unnamed scopes, too many scopes, or more records than can be read in time.
    """
    now = services.now()
    instants = request.instants or tuple(rfc3339(now + period) for period in USUAL_PERIODS)
    horizon = _Horizon(
        epoch_seconds(now),
        tuple(epoch_seconds(datetime.fromisoformat(instant)) for instant in instants),
        services.policy.custom_curves,
    )
    trust = call.principal.trust.narrow_to(request.trust)
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
) -> Iterator[Forecast]:
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
        yield Forecast(
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
    """Add the counts of a partition under each of the rules, in the order of the rules."""
    lifecycle = lifecycle_of_class(partition.decay_class)
    if lifecycle.pinned:
        return
    for stretch in survey.stretches(partition):
        if stretch.visible:
            counts = [
                n for each in rules for n in horizon.prunable_counts(stretch.read, lifecycle, each)
            ]
            estimate.add(stretch.visible, counts, weight=stretch.weight, span=stretch.span)
