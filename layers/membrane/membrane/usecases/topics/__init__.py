"""The use cases of topics, one verb a module."""
