"""Membrane Serverless: typed, audited memory for agents, with no server to run."""

import gc

gc.set_threshold(50_000)  # objects; what a cold start makes stays, and looking through it is a cost
