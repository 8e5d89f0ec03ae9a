"""Calls without I/O: requests, replies, retries, tokens, large values, and both faces of a call."""
