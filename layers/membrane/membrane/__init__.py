"""Membrane Serverless: typed, audited memory for agents, with no server to run."""

import gc

# What a cold start makes stays: the collector need not look through it every 700 objects.
gc.set_threshold(100_000)
