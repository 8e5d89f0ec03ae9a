"""Reads of topics: by id, in lists, as a graph; and of the action log and system context."""
