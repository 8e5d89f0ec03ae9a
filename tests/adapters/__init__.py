"""The published tests of agent frameworks, run on the adapters of the client."""
