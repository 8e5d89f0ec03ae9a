"""The metrics of the visible records, counted at the request."""

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
from membrane.usecases.ports.world import World

KEPT_FOR = timedelta(seconds=60)
"""The time for which a principal gets the same snapshot again."""

_LESS = f"name scopes, as in ?scope=name, {MAX_SCOPES} at most, or fewer of them"


def read_metrics(
    request: GetMetrics,
    call: Call,
    world: World,
    sampling: Sampling = SAMPLING,
    segments: Segments = SEGMENTS,
) -> Snapshot:
    """The snapshot of now, or a snapshot less than KEPT_FOR old.

    For named scopes, the counts are exact up to `sampling.exact` records and estimated beyond. For
    all scopes together, the counts are exact up to the size of `segments`. Raises PermissionDenied,
    and InvalidArgument for scopes that must be named, for too many scopes, and for scopes with more
    records than the time allows.
    """
    trust = call.principal.trust.narrow_to(request.trust)
    if trust.scopes is not None:
        call.principal.require(Permission.READ)
    scopes = _scopes(trust, is_admin=Permission.ADMIN in call.principal.permissions)
    now = world.now()
    asked = (call.principal, trust)
    _forget(world, now)
    if asked in world.snapshots:
        return world.snapshots[asked][1]
    survey = Survey(world, trust.ceiling, sampling, _LESS, retracted=True)
    sums = Sums(epoch_seconds(now), world.policy.custom_curves)
    lots = Lots(world.draw)
    if scopes is None:
        sample = in_every_scope(survey, segments)
        _add(sample.portions(), sums, lots)
        bounds = sample.bounds
    else:
        _add(_in_scopes(scopes, survey), sums, lots)
        off = sums.counts.error_bound
        bounds = Bounds(off, off / max(1, sums.records))
    snapshot = snapshot_of(sums, _trails(lots, trust, world), bounds, rfc3339(now))
    world.snapshots[asked] = (now, snapshot)
    return snapshot


def _forget(world: World, now: datetime) -> None:
    """Drop the snapshots that are older than KEPT_FOR."""
    for each, (counted_at, _) in list(world.snapshots.items()):
        if not timedelta(0) <= now - counted_at < KEPT_FOR:
            world.snapshots.pop(each, None)


def _add(portions: Iterable[Portion], sums: Sums, lots: Lots) -> None:
    for portion in portions:
        sums.add(portion)
        for each in portion.read:
            lots.offer(each.record_id, portion.weight)


def _scopes(trust: Trust, *, is_admin: bool) -> Sequence[str] | None:
    """The scopes of the trust, and "" for unscoped records; None for every scope."""
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
        for partition in survey.world.ranks.partitions(scope):
            for each in survey.stretches(partition):
                yield Portion(
                    partition.type,
                    partition.decay_class,
                    each.visible,
                    each.read,
                    each.weight,
                    each.span,
                )


def _trails(lots: Lots, trust: Trust, world: World) -> Trails:
    found = world.records.audit_summaries(list(dict.fromkeys(lots.chosen)))
    seen = {each.record_id: each for each in found if trust.allows(each.scope, each.sensitivity)}
    return Trails.of(seen, lots.chosen)
