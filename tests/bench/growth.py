"""Ingest over a small and over a large table: requests and units must be the same."""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from membrane.adapters.dynamodb.records.items import Codec
from membrane.wiring import clients
from tests.bench.costs import costs, counted
from tests.bench.figures import Figure
from tests.builders.filled_stores import BATCH, fill
from tests.worlds.dynoxide_server import run_server, served_store
from tests.worlds.metering import Cost
from tests.worlds.quick_folders import quick_folder

FEW = 1_000
MANY = 100_000

COUNTING = ("GetMetrics of one scope",)
"""Reads every record of the scope, up to 100,000: what it counts is what it costs."""


def figures(few: int = FEW, many: int = MANY) -> Iterator[Figure]:
    """Each operation's cost with many records stored; its limit is the cost with few."""
    with quick_folder() as folder, run_server(folder / "table.db") as endpoint:
        small, large = costs_over(endpoint, few), costs_over(endpoint, many)
    for operation, cost in large.items():
        if operation not in COUNTING:
            yield from counted(f"{operation} at {many} records", cost, small[operation])


def costs_over(endpoint: str, size: int) -> Mapping[str, Cost]:
    """The costs over a new table of that many records in the scope that is written to."""
    store = served_store(endpoint)
    fill_in_parallel(endpoint, store.table, store.codec, size)
    return costs(store)


def fill_in_parallel(
    endpoint: str, table: str, codec: Codec, size: int, share: int = BATCH * 40
) -> None:
    """Put that many records: more than one `share` of them with all processors."""
    if size <= share:
        _fill(endpoint, table, codec, range(size))
        return
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        pending = [
            pool.submit(_fill, endpoint, table, codec, range(start, min(start + share, size)))
            for start in range(0, size, share)
        ]
        for part in pending:
            part.result()


def _fill(endpoint: str, table: str, codec: Codec, numbers: range) -> None:
    fill(clients.dynamodb_client(endpoint), table, codec, numbers)
