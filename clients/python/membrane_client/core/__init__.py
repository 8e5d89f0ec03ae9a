"""Calls without I/O: requests, replies, retries, tokens, large values, and both forms of a call."""
