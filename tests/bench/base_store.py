"""A put and a get of LangGraph's BaseStore over the local stack, against SQLite in the process.

python -m tests.bench.base_store: prints HTTP requests, time and CPU of an operation; needs the
environment of `make test-adapters`. What the table is asked for is in tests.bench.document_costs.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.adapters.__main__ import ENVIRONMENT, ROOT
from tests.adapters.suites import HERE
from tests.bench.figures import Figure, shown
from tests.e2e.stack import dev

PROGRAM = HERE / "own" / "base_store_bench.py"
LIMITS = {"put": 1.0, "get": 1.0, "put in a batch of 100": 0.01, "get in a batch of 100": 0.01}
"""HTTP requests of an operation of MembraneStore."""


def figures() -> Iterator[Figure]:
    """Of both stores, for one operation on an item of 1 KB."""
    for store, costs in _costs().items():
        for action, cost in costs.items():
            limit = LIMITS[action] if store == "MembraneStore" else 0.0
            yield Figure(f"{store}, {action}", cost.pop("requests"), "requests", limit)
            for name, value in cost.items():
                yield Figure(f"{store}, {action}, {name}", value, "ms")


def _costs() -> dict[str, dict[str, dict[str, float]]]:
    path = os.pathsep.join([str(HERE / "plugins"), str(ROOT / "clients" / "python")])
    with dev() as stack, tempfile.TemporaryDirectory() as folder:
        command = [
            str(ENVIRONMENT / "bin" / "python"),
            str(PROGRAM),
            str(stack.process.pid),
            folder,
        ]
        addresses = {"MEMBRANE_URL": stack.url, "MEMBRANE_API_KEY": stack.secret}
        environment = {**os.environ, **addresses, "PYTHONPATH": path}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    costs: dict[str, dict[str, dict[str, float]]] = json.loads(done.stdout)
    return costs


if __name__ == "__main__":
    sys.exit(shown(figures()))
