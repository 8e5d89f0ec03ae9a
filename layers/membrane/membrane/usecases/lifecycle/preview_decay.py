"""What a decay policy would do: how many records it would prune by when, without changing any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.requests import PreviewDecay
from membrane.domain.salience.function import lifecycle_of_class
from membrane.usecases.lifecycle.forecasting import Horizon, Rules
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Survey
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.indexes import RankPartition
from membrane.usecases.ports.services import Services

USUAL_PERIODS = tuple(timedelta(days=days) for days in (1, 7, 30, 90))
"""From now to the instants of a preview that names none."""

_LESS = "name fewer scopes in trust.scopes, or fewer memory_types"


@dataclass(frozen=True, slots=True)
class Forecast:
    """Of one scope ("" = unscoped) and type: how many would be pruned, by instant."""

    scope: str
    type: MemoryType
    candidates: int
    """Records that fade: all but pinned and retracted ones, which are kept for their time."""
    today: tuple[int, ...]
    """As things stand."""
    preview: tuple[int, ...]
    """If what the request asks for applied to these records from now on."""
    error_bound: int
    """By how much each of the numbers may be off, see `Estimate`; 0 where they are exact."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A forecast for each scope and type that has candidates; instants as RFC 3339."""

    now: str
    instants: tuple[str, ...]
    forecasts: tuple[Forecast, ...]


def preview_decay(
    request: PreviewDecay, call: Call, services: Services, sampling: Sampling = SAMPLING
) -> Preview:
    """Count what the request's trust covers, from the rank index alone; nothing is written.

    Exact up to `sampling.exact` candidates, then estimated. Raises InvalidArgument where the
    scopes must be named, are too many, or hold more than there is time for.
    """
    now = services.now()
    instants = request.instants or tuple(rfc3339(now + period) for period in USUAL_PERIODS)
    horizon = Horizon(
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
    """Those that the trust names, and what is unscoped, which everybody sees."""
    if trust.scopes is None:
        raise InvalidArgument(
            "the key covers every scope: name those to preview in trust.scopes, "
            f"{MAX_SCOPES} at most"
        )
    return named_scopes(trust.scopes, "a preview goes through", "in trust.scopes")


def _forecasts(
    scope: str, request: PreviewDecay, horizon: Horizon, survey: Survey
) -> Iterator[Forecast]:
    threshold = survey.services.policy.prune_threshold
    partitions = survey.services.ranks.partitions(scope)
    for memory_type in dict.fromkeys(request.memory_types or MemoryType):
        asked = Rules(
            request.threshold or threshold,
            request.half_life_seconds.get(memory_type),
            request.deletion_policy,
        )
        estimate = Estimate(2 * len(horizon.instants_s))
        for partition in partitions:
            if partition.type is memory_type:
                _add(partition, (Rules(threshold), asked), estimate, horizon, survey)
        yield _forecast(scope, memory_type, estimate)


def _add(
    partition: RankPartition,
    rules: Sequence[Rules],
    estimate: Estimate,
    horizon: Horizon,
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


def _forecast(scope: str, memory_type: MemoryType, estimate: Estimate) -> Forecast:
    middle = estimate.kinds // 2
    return Forecast(
        scope=scope,
        type=memory_type,
        candidates=estimate.population,
        today=estimate.counts[:middle],
        preview=estimate.counts[middle:],
        error_bound=estimate.error_bound,
    )
