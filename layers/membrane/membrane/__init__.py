"""Membrane Serverless: typed, audited memory for agents, with no server to run."""

import gc
import os

if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # What a cold start makes stays: looking through it every 2,000 objects is a twentieth of it.
    gc.set_threshold(100_000)
