"""The mutants that no test kills, by the names that `mutants.py` gives, and why none can."""

SURVIVORS: dict[str, str] = {}
