"""Prints figures, of the parts named or of all; ends with 1 where one misses a limit.

python -m tests.bench [cold] [warm] [costs] [growth] [sweep] [arrays] [throughput]
    [retrieval] [retrieval-costs] [selection] [capture] [graph] [topics] [price] [size]
    [credit] [agents-start]

The parts graph-large, of 100,000 records, and throughput-large run only where they are named.
"""

import sys
from collections.abc import Callable, Iterator, Mapping

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from tests.bench import (
    agents_start,
    arrays,
    capture,
    client,
    cold,
    costs,
    credit,
    graph,
    growth,
    retrieval,
    retrieval_costs,
    selection,
    size,
    sweep,
    throughput,
    topics,
    warm,
)
from tests.bench.artefacts import Artefacts, built
from tests.bench.figures import Figure, shown
from tests.bench.price import figures as price

BUILT: Mapping[str, Callable[[Artefacts], Iterator[Figure]]] = {
    "cold": cold.figures,
    "warm": warm.figures,
}
"""The parts that run what Lambda would."""

PARTS: Mapping[str, Callable[[], Iterator[Figure]]] = {
    "costs": costs.figures,
    "growth": growth.figures,
    "sweep": sweep.figures,
    "arrays": arrays.figures,
    "throughput": throughput.figures,
    "retrieval": retrieval.figures,
    "retrieval-costs": retrieval_costs.figures,
    "selection": selection.figures,
    "capture": capture.figures,
    "graph": graph.figures,
    "topics": topics.figures,
    "price": price.figures,
    "size": size.figures,
    "client": client.figures,
    "credit": credit.figures,
    "agents-start": agents_start.figures,
}

LARGE: Mapping[str, Callable[[], Iterator[Figure]]] = {
    "graph-large": graph.large_figures,
    "throughput-large": throughput.large_figures,
}
"""The parts that take too long to run with all others."""


def main(chosen: list[str]) -> int:
    """Run the parts."""
    unknown = set(chosen) - BUILT.keys() - PARTS.keys() - LARGE.keys()
    if unknown:
        raise SystemExit(f"bench: there is no part {', '.join(sorted(unknown))}")
    return shown(measured(chosen or [*BUILT, *PARTS]))


def measured(parts: list[str]) -> Iterator[Figure]:
    """The figures, as they are found."""
    if BUILT.keys() & parts:
        with built() as artefacts:
            for name in BUILT:
                if name in parts:
                    yield from BUILT[name](artefacts)
    for name, part in {**PARTS, **LARGE}.items():
        if name in parts:
            yield from part()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
