"""What an export costs: requests and units, as the strictest emulator counts."""

from collections.abc import Callable, Mapping

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.archive.write_export import write_export
from membrane.wiring.world import World
from tests.bench.erasure_costs import OWNER
from tests.bench.till import Till
from tests.bench.topics import services_over
from tests.fakes.clock import MORNING
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

RECORDS = 100
"""Records with vectors."""

EXPORT_ID = "00000000-0000-4000-8000-000000000001"


def export_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; the clock is fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    till = Till(store)
    till.index(*(till.new_episode(number) for number in range(RECORDS)))
    services, spent = _services(store), meter(store.client)

    def cost(do: Callable[[], object]) -> Cost:
        return spent_by(do, spent)

    found: dict[str, Cost] = {}
    found["CreateExport"] = cost(lambda: _ask("CreateExport", {}, services))
    found[f"file of an export of {RECORDS} records"] = cost(lambda: _write(services))
    found["ReadExport"] = cost(lambda: _ask("ReadExport", {"id": EXPORT_ID}, services))
    found["ListExports"] = cost(lambda: _ask("ListExports", {}, services))
    return found


def _services(store: Store) -> World:
    return services_over(store).but(
        new_id=lambda: EXPORT_ID,
        invoke_later=lambda _function, _event: None,
        export_function="export",
        topics=store.topics,
    )


def _write(services: World) -> None:
    made = write_export(
        OWNER.identity, EXPORT_ID, services, is_out_of_time=lambda: False, hand_over=None
    )
    assert made is not None
    assert made.frame.counts["record"] == RECORDS


def _ask(rpc: str, request: JsonObject, services: World) -> object:
    """The result; raises DomainError."""
    return perform(row_of(rpc), request, OWNER, services)
