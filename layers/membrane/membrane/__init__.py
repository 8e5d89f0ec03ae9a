"""Membrane Serverless: typed, audited memory for agents, with no server to run."""
