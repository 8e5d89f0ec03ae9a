"""Puts and gets on two stores of LangGraph, for tests.bench.base_store; prints what each cost.

base_store_bench.py PID FOLDER: with the process of the local stack, and a folder for SQLite.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from os import sysconf
from pathlib import Path

import httpx2
from langgraph.store.base import BaseStore, GetOp, PutOp
from langgraph.store.sqlite import SqliteStore
from local_stack import API_KEY, URL, new_scope

from membrane_client import Membrane
from membrane_client.langgraph import MembraneStore

TIMES = 200
"""Single operations of each kind."""

BATCHES = 5
BATCH = 100
NAMESPACE = ("users", "ada", "notes")
VALUE = {"text": "Ada drinks green tea in the morning. " * 27, "kind": "taste"}
"""1 KB."""

TICKS = sysconf("SC_CLK_TCK")

Costs = Mapping[str, Mapping[str, float]]


def main(pid: int, folder: str) -> None:
    costs = {}
    sent: list[httpx2.Request] = []
    with httpx2.Client(event_hooks={"request": [sent.append]}) as http:
        client = Membrane(URL, API_KEY, http_client=http)
        costs["MembraneStore"] = costs_of(MembraneStore(client, scope=new_scope()), sent, pid)
    with SqliteStore.from_conn_string(f"{folder}/store.db") as store:
        store.setup()
        costs["SqliteStore"] = costs_of(store, [], pid)
    json.dump(costs, sys.stdout)


def costs_of(store: BaseStore, sent: list[httpx2.Request], pid: int) -> Costs:
    """Of each action, for one operation: HTTP requests, and milliseconds."""

    def cost(do: Callable[[int], object], times: int, operations: int = 1) -> Mapping[str, float]:
        do(0)
        requests, client_s, service_s = len(sent), time.process_time(), cpu_s(pid)
        began_s = time.perf_counter()
        for number in range(times):
            do(number)
        wall_s = time.perf_counter() - began_s
        spent = {
            "client CPU": time.process_time() - client_s,
            "service CPU": cpu_s(pid) - service_s,
        }
        count = times * operations
        per_operation = {name: 1_000 * each / count for name, each in spent.items()}
        of_all = {"requests": (len(sent) - requests) / count, "time": 1_000 * wall_s / count}
        return {**of_all, **per_operation}

    def puts(number: int) -> object:
        keys = range(number * BATCH, (number + 1) * BATCH)
        return store.batch([PutOp(NAMESPACE, f"batch{key}", VALUE) for key in keys])

    def gets(number: int) -> object:
        keys = range(number * BATCH, (number + 1) * BATCH)
        return store.batch([GetOp(NAMESPACE, f"batch{key}") for key in keys])

    return {
        "put": cost(lambda number: store.put(NAMESPACE, f"{number}", VALUE), TIMES),
        "get": cost(lambda number: store.get(NAMESPACE, f"{number}"), TIMES),
        "put in a batch of 100": cost(puts, BATCHES, BATCH),
        "get in a batch of 100": cost(gets, BATCHES, BATCH),
    }


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and of the processes below, ended ones included."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / TICKS
    listings = Path(f"/proc/{pid}/task").glob("*/children")
    children = [each for path in listings for each in path.read_text(encoding="utf-8").split()]
    return own + sum(cpu_s(int(each)) for each in children)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
