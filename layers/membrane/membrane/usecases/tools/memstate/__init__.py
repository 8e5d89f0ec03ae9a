"""The tools of MemState, by name and argument, over topics."""
