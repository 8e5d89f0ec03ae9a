"""What erasures and exports cost: requests and units, as the strictest emulator counts."""

from collections.abc import Mapping
from functools import partial

from membrane.adapters.dynamodb.erasure.fences import DynamoFences
from membrane.domain.access.principals import principal_of
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.archive.write_export import write_export
from membrane.usecases.erasure.run_erasure import run_erasure
from membrane.wiring.world import World
from tests.bench.till import Till
from tests.bench.topics import ask, services_over
from tests.builders.stored_documents import place, written
from tests.fakes.clock import MORNING
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

RECORDS = 100
"""Records with vectors, of other scopes than the one that is erased."""

OWNER = principal_of("owner", Permission, [ALL_SCOPES], "hyper")
SCOPE = "user:ada"


def erasure_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; the clock is fixed."""
    services = _services(store)
    fences = DynamoFences(store.client, store.table, lambda: 0.0)
    services = services.but(fences=fences, pause=lambda _: None)
    asking, cost = partial(ask, principal=OWNER, services=services), _cost(store)

    found: dict[str, Cost] = {}
    found["StartErasure"] = cost(lambda: asking("StartErasure", {"scope": SCOPE}))
    listing = cost(lambda: run_erasure(_id(1), services, lambda: False))
    found[f"walk of an erasure over {RECORDS} records"] = listing
    found["ReadErasure"] = cost(lambda: asking("ReadErasure", {"id": _id(1)}))
    asking("StartErasure", {"scope": SCOPE, "dry_run": False})
    run_erasure(_id(2), services, lambda: False)
    found["ReadCertificate"] = cost(lambda: asking("ReadCertificate", {"id": _id(2)}))
    found["look at the fences"] = cost(lambda: services.fences.require_open([SCOPE]))
    for number in range(RECORDS):
        written(store.documents, place(f"note-{number}"), '"tea"')
    asking("StartErasure", {"subject": "ada"})
    listing = cost(lambda: run_erasure(_id(3), services, lambda: False))
    found[f"walk for a subject over {RECORDS} records and {RECORDS} documents"] = listing
    return found


def export_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; the clock is fixed."""
    services = _services(store).but(
        invoke_later=lambda _function, _event: None, export_function="export", topics=store.topics
    )
    asking, cost = partial(ask, principal=OWNER, services=services), _cost(store)

    found: dict[str, Cost] = {}
    found["CreateExport"] = cost(lambda: asking("CreateExport", {}))
    found[f"file of an export of {RECORDS} records"] = cost(lambda: _write(services))
    found["ReadExport"] = cost(lambda: asking("ReadExport", {"id": _id(1)}))
    found["ListExports"] = cost(lambda: asking("ListExports", {}))
    return found


def _cost(store: Store) -> partial[Cost]:
    return partial(spent_by, spent=meter(store.client))


def _services(store: Store) -> World:
    """The services over a store of records with vectors; ids are counted."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    till, numbers = Till(store), iter(range(1, 1_000))
    till.index(*(till.new_episode(number) for number in range(RECORDS)))
    return services_over(store).but(new_id=lambda: _id(next(numbers)))


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def _write(services: World) -> None:
    made = write_export(
        OWNER.identity, _id(1), services, is_out_of_time=lambda: False, hand_over=None
    )
    assert made is not None
    assert made.frame.counts["record"] == RECORDS
