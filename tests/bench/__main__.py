"""Prints the bench's figures; ends with 1 where one of them is over its limit."""

import sys
from collections.abc import Callable, Iterator, Mapping

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from tests.bench import costs, growth, throughput, warm
from tests.bench.figures import Figure
from tests.bench.processes import INSTALLED
from tests.bench.workload import ROOT

SOURCE = (ROOT / "layers" / "membrane", INSTALLED)

PARTS: Mapping[str, Callable[[], Iterator[Figure]]] = {
    "warm": lambda: warm.figures(SOURCE),
    "costs": costs.figures,
    "growth": growth.figures,
    "throughput": throughput.figures,
}


def main(chosen: list[str]) -> int:
    """Run the parts named, all of them where none is."""
    missed = []
    for part in chosen or PARTS:
        for figure in PARTS[part]():
            print(figure.line(), flush=True)
            if figure.missed:
                missed.append(figure)
    for figure in missed:
        print(f"bench: {figure.name} is {figure.value:.3f}, over {figure.limit}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
