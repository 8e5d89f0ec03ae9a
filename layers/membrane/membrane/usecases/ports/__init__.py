"""Protocols for storage, models and clocks: the ports of the use cases."""
