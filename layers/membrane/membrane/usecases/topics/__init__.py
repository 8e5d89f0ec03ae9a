"""Use cases of topics, a verb a module."""
