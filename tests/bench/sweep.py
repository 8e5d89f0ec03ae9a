"""Sweeps over small and large tables: what is stored, and is not due, costs nothing.

The CPU of a sweep is compared with that of its own requests, made again by a client without any
configuration, and with that of the sweep over the smallest table.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore import xform_name

from membrane.wiring import clients
from membrane.wiring.world import World
from tests.bench.costs import counted
from tests.bench.figures import TIMES, Figure
from tests.bench.growth import fill_in_parallel
from tests.bench.till import swept
from tests.builders.filled_stores import faded, fill
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import MORNING
from tests.worlds.budgets import PRUNE, SWEEP
from tests.worlds.dynoxide_server import run_server, served_store
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store

if TYPE_CHECKING:
    from botocore.client import BaseClient

SIZES = (1_000, 10_000, 100_000)
DUE = 1_000
ROUNDS = 7
IDLE_SWEEPS = 20
"""In each round where nothing is due: one alone is too short to tell."""

LIMIT = 1.25
"""Of CPU against the smallest table's; it is the same, but for the machine's unrest."""

Request = tuple[str, Mapping[str, Any]]
"""An operation of DynamoDB's API and its parameters."""


def figures(sizes: Sequence[int] = SIZES, due: int = DUE, rounds: int = ROUNDS) -> Iterator[Figure]:
    """With nothing due and with so many, at each size."""
    with tempfile.TemporaryDirectory() as folder, run_server(Path(folder) / "table.db") as endpoint:
        tables = [_table(endpoint, size) for size in sizes]
        for number in (0, due):
            sweeps = [_sweep(table, number) for table in tables]
            yield from _costs(sweeps)
            yield from _times(sweeps, rounds)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of that many records, none of them due."""

    size: int
    store: Store
    services: World
    """Of the same table, by a client that nobody watches."""
    bare: "BaseClient"


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep over a table where so many more records are due, and what it asked of DynamoDB."""

    table: Table
    due: int
    cost: Cost
    requests: Sequence[Request]

    @property
    def name(self) -> str:
        """In figures."""
        return f"sweep with {self.due or 'nothing'} due at {self.table.size} records"

    def cpu_s(self) -> tuple[float, float]:
        """Of another one like it, and of the same requests."""
        times = 1 if self.due else IDLE_SWEEPS
        let_fade(self.table.store, self.due)
        ours_s = _cpu_s(lambda: swept(self.table.services, self.due), times)
        let_fade(self.table.store, self.due)
        return ours_s, _cpu_s(self._again, times)

    def _again(self) -> None:
        for operation, parameters in self.requests:
            getattr(self.table.bare, xform_name(operation))(**parameters)


def let_fade(store: Store, due: int) -> None:
    """Put the records that are due, again where a sweep has pruned them."""
    fill(store.inspector, store.table, store.codec, range(due), faded)


def _table(endpoint: str, size: int) -> Table:
    store = served_store(endpoint)
    store.clock.now = MORNING
    fill_in_parallel(endpoint, store.table, store.codec, size)
    client = clients.dynamodb_client(endpoint)
    services = store.under(dynamodb=client, measure=Metrics())
    bare = botocore.session.get_session().create_client("dynamodb", endpoint_url=endpoint)
    return Table(size, store, services, bare)


def _sweep(table: Table, due: int) -> Sweep:
    """Under a meter, by the store's own client."""
    store = table.store
    let_fade(store, due)
    earlier = len(store.watched.requests)
    cost = meter(store.client)
    swept(store.services.but(measure=Metrics()), due)
    return Sweep(table, due, replace(cost), store.watched.requests[earlier:])


def _costs(sweeps: Sequence[Sweep]) -> Iterator[Figure]:
    """The smallest table's within the budget, and no other's over that."""
    due = sweeps[0].due
    most = Cost(
        SWEEP.requests + due * PRUNE.requests,
        SWEEP.write_units + due * PRUNE.write_units,
        SWEEP.read_units + due * PRUNE.read_units,
    )
    for sweep in sweeps:
        yield from counted(sweep.name, sweep.cost, most)
        most = sweeps[0].cost


def _times(sweeps: Sequence[Sweep], rounds: int) -> Iterator[Figure]:
    """Table by table in each round; medians."""
    spent = [[sweep.cpu_s() for sweep in sweeps] for _ in range(rounds)]
    smallest = f"the sweep at {sweeps[0].table.size} records"
    first = [each[0][0] for each in spent]
    for place, sweep in enumerate(sweeps):
        ours = [each[place][0] for each in spent]
        bare = [each[place][1] for each in spent]
        yield Figure(f"{sweep.name}, CPU", median(ours) * 1e3, "ms")
        if sweep.due:
            yield Figure(f"{sweep.name}, CPU a record", median(ours) / sweep.due * 1e6, "us")
        name = f"{sweep.name}, CPU against its bare requests"
        yield Figure(name, _ratio(ours, bare), TIMES, None, "the same requests made bare")
        if place:
            name = f"{sweep.name}, CPU against the smallest table"
            yield Figure(name, _ratio(ours, first), TIMES, LIMIT, smallest)


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Of what was measured in the same round."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def _cpu_s(run: Callable[[], object], times: int) -> float:
    """Of this process, all its threads together, for one of so many runs."""
    start_s = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - start_s) / times
