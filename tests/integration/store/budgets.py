"""What each access pattern may cost, for 1,000 bytes of random payload and two tags (design 6)."""

from tests.integration.store.metering import Cost

INGEST = Cost(requests=1, write_units=5, read_units=0)
CHANGE = Cost(requests=2, write_units=7, read_units=1)
"""Of an outcome, and of a deletion: no more than of pruning."""

GET = Cost(requests=1, write_units=0, read_units=1)

PRUNE = Cost(requests=2, write_units=7, read_units=1)
SWEEP = Cost(requests=16, write_units=0, read_units=8)
