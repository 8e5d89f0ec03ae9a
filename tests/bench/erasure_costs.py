"""What an erasure costs: requests and units, as the strictest emulator counts."""

from collections.abc import Callable, Mapping

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.adapters.dynamodb.erasure.fences import DynamoFences
from membrane.domain.access.principals import principal_of
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.erasure.run_erasure import run_erasure
from membrane.wiring.world import World
from tests.bench.till import Till
from tests.bench.topics import services_over
from tests.fakes.clock import MORNING
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

RECORDS = 100
"""Records of other scopes, with vectors; none is erased."""

OWNER = principal_of("owner", Permission, [ALL_SCOPES], "hyper")
SCOPE = "user:ada"


def erasure_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; the clock is fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    till = Till(store)
    till.index(*(till.new_episode(number) for number in range(RECORDS)))
    services, spent = _services(store), meter(store.client)

    def cost(do: Callable[[], object]) -> Cost:
        return spent_by(do, spent)

    found: dict[str, Cost] = {}
    found["StartErasure"] = cost(lambda: _ask("StartErasure", {"scope": SCOPE}, services))
    listing = cost(lambda: run_erasure(_id(1), services, lambda: False))
    found[f"walk of an erasure over {RECORDS} records"] = listing
    found["ReadErasure"] = cost(lambda: _ask("ReadErasure", {"id": _id(1)}, services))
    _ask("StartErasure", {"scope": SCOPE, "dry_run": False}, services)
    run_erasure(_id(2), services, lambda: False)
    found["ReadCertificate"] = cost(lambda: _ask("ReadCertificate", {"id": _id(2)}, services))
    found["look at the fences"] = cost(lambda: services.fences.require_open([SCOPE]))
    return found


def _services(store: Store) -> World:
    numbers = iter(range(1, 1_000))
    fences = DynamoFences(store.client, store.table, lambda: 0.0)
    return services_over(store).but(
        fences=fences, new_id=lambda: _id(next(numbers)), pause=lambda _: None
    )


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def _ask(rpc: str, request: JsonObject, services: World) -> object:
    """The result; raises DomainError."""
    return perform(row_of(rpc), request, OWNER, services)
