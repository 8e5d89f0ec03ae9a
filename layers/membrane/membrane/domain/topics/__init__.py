"""Topics: a unit of knowledge whose named fields keep their history (seed 004)."""
