"""How much code the layers have."""

from collections.abc import Iterator

from tests.bench.figures import Figure
from tests.bench.workload import ROOT

LIMIT = 33_000


def figures() -> Iterator[Figure]:
    """Lines of Python, with those that are empty or documentation."""
    sources = (ROOT / "layers").rglob("*.py")
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in sources)
    yield Figure("layers, Python", lines, "lines", LIMIT)
