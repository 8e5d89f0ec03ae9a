"""The metrics of what may be seen, from counters: no record is read, however many there are."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.metrics.requests import GetMetrics
from membrane.domain.metrics.sheets import Sheet
from membrane.domain.metrics.snapshot import Snapshot, snapshot_of
from membrane.domain.metrics.tallies import EVERY_SCOPE
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.services import MAX_WORKERS
from membrane.usecases.ports.services_metrics import CountingServices

MAX_PAGES = 4
"""Of buckets, a scope: a page has some thousands of them. What lies behind fades no later."""

MAX_ROUNDS = 3
"""In which a scope is read again whose records move meanwhile."""


def read_metrics(request: GetMetrics, call: Call, services: CountingServices) -> Snapshot:
    """The snapshot as of now: one request a scope, and two for the generations of counters.

    A scope whose totals do not fit a page, of some thousands of decay classes, takes a request for
    each page of them, and MAX_PAGES more at most; all of that again, up to MAX_ROUNDS, where
    records move meanwhile. So 53 as a rule with 50 scopes.
    Raises InvalidArgument where the scopes must be named, or are too many; PermissionDenied.
    """
    trust = call.principal.trust.narrowed(request.trust)
    if trust.scopes is not None:
        call.principal.require(Permission.READ)
    scopes = _scopes(trust, is_admin=Permission.ADMIN in call.principal.permissions)
    sheets = _sheets(scopes, trust.ceiling, services)
    now = services.now()
    curves = services.policy.custom_curves
    return snapshot_of(sheets, rfc3339(now), epoch_seconds(now), curves)


def _scopes(trust: Trust, *, is_admin: bool) -> Sequence[str | None]:
    """Those that the trust names, and what is unscoped, which everybody sees; or all together."""
    if trust.scopes is None:
        if is_admin:
            return [EVERY_SCOPE]
        raise InvalidArgument(
            "the key covers every scope: name those to be measured, as in ?scope=name, "
            f"{MAX_SCOPES} at most; all of them together need the permission {Permission.ADMIN}"
        )
    return named_scopes(trust.scopes, "metrics go through", "as in ?scope=name")


def _sheets(
    scopes: Sequence[str | None], ceiling: Sensitivity, services: CountingServices
) -> Sequence[Sheet]:
    """Of one generation: where another one takes its place meanwhile, all are read again."""
    generation = services.counters.generations().current
    for _ in range(MAX_ROUNDS):
        sheets = _side_by_side(generation, scopes, ceiling, services)
        latest = services.counters.generations().current
        if latest == generation:
            return sheets
        generation = latest
    raise Unavailable("the counters are being replaced; try again")


def _side_by_side(
    generation: int,
    scopes: Sequence[str | None],
    ceiling: Sensitivity,
    services: CountingServices,
) -> Sequence[Sheet]:
    with ThreadPoolExecutor(min(len(scopes), MAX_WORKERS)) as pool:
        return list(pool.map(lambda scope: _settled(generation, scope, ceiling, services), scopes))


def _settled(
    generation: int, scope: str | None, ceiling: Sensitivity, services: CountingServices
) -> Sheet:
    """Read again while records move; what then is still astray goes into the error bounds."""
    for _ in range(MAX_ROUNDS - 1):
        sheet = _sheet(generation, scope, ceiling, services)
        if not sheet.astray:
            return sheet
    return _sheet(generation, scope, ceiling, services)


def _sheet(
    generation: int, scope: str | None, ceiling: Sensitivity, services: CountingServices
) -> Sheet:
    """Totals and growth, and buckets until each record was met or MAX_PAGES of them were read."""
    sheet, pages = Sheet(ceiling), 0
    for page in services.counters.pages(generation, scope):
        for name, amounts in page:
            sheet.add(name, amounts)
        pages += sheet.has_come_to_buckets
        if sheet.is_complete or pages == MAX_PAGES:
            return sheet
    sheet.is_whole = True
    return sheet
