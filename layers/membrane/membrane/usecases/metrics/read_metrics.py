"""The metrics of what may be seen, counted when they are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Permission
from membrane.domain.metrics.requests import GetMetrics
from membrane.domain.metrics.snapshot import Bounds, Snapshot, snapshot_of
from membrane.domain.metrics.sums import Lots, Portion, Sums, Trails
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Survey
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.metrics.every_scope import SEGMENTS, Segments, in_every_scope
from membrane.usecases.ports.services import Services

KEPT_FOR = timedelta(seconds=60)
"""For which a principal is given the same answer again."""

_LESS = f"name scopes, as in ?scope=name, {MAX_SCOPES} at most, or fewer of them"


def read_metrics(
    request: GetMetrics,
    call: Call,
    services: Services,
    sampling: Sampling = SAMPLING,
    segments: Segments = SEGMENTS,
) -> Snapshot:
    """The snapshot as of now, or the one of less than KEPT_FOR ago.

    Exact up to `sampling.exact` records of the scopes, then estimated; of all scopes together
    exact as far as `segments` go. Raises InvalidArgument where the scopes must be named, are too
    many, or hold more than there is time for; PermissionDenied.
    """
    trust = call.principal.trust.narrowed(request.trust)
    if trust.scopes is not None:
        call.principal.require(Permission.READ)
    scopes = _scopes(trust, is_admin=Permission.ADMIN in call.principal.permissions)
    now = services.now()
    asked = (call.principal, trust)
    _forget(services, now)
    if asked in services.snapshots:
        return services.snapshots[asked][1]
    survey = Survey(services, trust.ceiling, sampling, _LESS, retracted=True)
    sums = Sums(epoch_seconds(now), services.policy.custom_curves)
    lots = Lots(services.draw)
    if scopes is None:
        sample = in_every_scope(survey, segments)
        _add(sample.portions(), sums, lots)
        bounds = sample.bounds
    else:
        _add(_in_scopes(scopes, survey), sums, lots)
        off = sums.counts.error_bound
        bounds = Bounds(off, off / max(1, sums.records))
    snapshot = snapshot_of(sums, _trails(lots, trust, services), bounds, rfc3339(now))
    services.snapshots[asked] = (now, snapshot)
    return snapshot


def _forget(services: Services, now: datetime) -> None:
    """Drop answers that are no longer given again."""
    for each, (counted_at, _) in list(services.snapshots.items()):
        if not timedelta(0) <= now - counted_at < KEPT_FOR:
            services.snapshots.pop(each, None)


def _add(portions: Iterable[Portion], sums: Sums, lots: Lots) -> None:
    for portion in portions:
        sums.add(portion)
        for each in portion.read:
            lots.offer(each.record_id, portion.weight)


def _scopes(trust: Trust, *, is_admin: bool) -> Sequence[str] | None:
    """Those that the trust names, and what is unscoped, which everybody sees; None for all."""
    if trust.scopes is None and is_admin:
        return None
    if trust.scopes is None or trust.prefixes:
        raise InvalidArgument(
            "the key covers more scopes than it names: name those to be measured, as in "
            f"?scope=name, {MAX_SCOPES} at most, or a user; every scope together needs the "
            f"permission {Permission.ADMIN} over all scopes"
        )
    return named_scopes(trust.scopes, "metrics go through", "as in ?scope=name")


def _in_scopes(scopes: Sequence[str], survey: Survey) -> Iterator[Portion]:
    for scope in scopes:
        for partition in survey.services.ranks.partitions(scope):
            for each in survey.stretches(partition):
                yield Portion(
                    partition.type,
                    partition.decay_class,
                    each.visible,
                    each.read,
                    each.weight,
                    each.span,
                )


def _trails(lots: Lots, trust: Trust, services: Services) -> Trails:
    found = services.records.audit_summaries(list(dict.fromkeys(lots.chosen)))
    seen = {each.record_id: each for each in found if trust.allows(each.scope, each.sensitivity)}
    return Trails.of(seen, lots.chosen)
