"""Which of two vectors of a record, or topic, is of the later version.

Apart from the search, which functions that only write do not load.
"""

MAX_VERSIONS = 1_000_000


def index_version(born_s: float, version: int) -> int:
    """Grows with every version of a record, and with a later record that takes its id."""
    return round(born_s * 1_000) * MAX_VERSIONS + version
