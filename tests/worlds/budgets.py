"""What each access pattern may cost, for 1,000 bytes of random payload and two tags."""

from tests.worlds.metering import Cost

INGEST = Cost(requests=1, write_units=5, read_units=0)


def messages(number: int) -> Cost:
    """Of a transaction, which counts twice what it writes into the table: records, and a head."""
    return Cost(requests=2, write_units=7 * number + 2, read_units=1)


CHANGE = Cost(requests=2, write_units=7, read_units=1)
"""Of an outcome: no more than of pruning."""

ENDING = Cost(requests=2, write_units=12, read_units=1)
"""Of a deletion or retraction, a transaction: a marker takes the place of the vector."""

GET = Cost(requests=1, write_units=0, read_units=1)

PRUNE = Cost(requests=3, write_units=11, read_units=1)
"""With 4 for the vector, in a write of its own: random text has 300 words, prose a third."""

FORGET = Cost(requests=2, write_units=5, read_units=1)
"""The row in the list of removed records stays as the row is."""

SWEEP = Cost(requests=16, write_units=0, read_units=8)

SUPERSEDE = Cost(requests=2, write_units=21, read_units=1)
"""What a transaction writes into the table counts twice, and once what that moves in indexes."""

FORK = Cost(requests=2, write_units=13, read_units=1)
MERGE_OF_TWO = Cost(requests=3, write_units=35, read_units=2)
UNDER_POLICY = Cost(requests=3, write_units=9, read_units=1.5)
"""Of an observation with which none conflicts, its head and the natural index included."""

REPLACING = Cost(requests=4, write_units=27, read_units=2.5)
"""Of one that takes the place of another fact."""

METRICS = Cost(requests=32, write_units=0, read_units=150)
"""Of a scope of 200 records and what is unscoped; most of it is for their audit."""
