"""Membrane Serverless: typed, audited memory for agents, with no server to run."""

import gc
import os

if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # The objects of a cold start live on; collecting garbage at every 2,000 objects would take a
    # twentieth of the cold start.
    gc.set_threshold(100_000)
