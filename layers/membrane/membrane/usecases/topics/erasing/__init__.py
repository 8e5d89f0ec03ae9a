"""Erase topics: the content goes for good, and a tombstone stays."""
