"""Conversations at the edge: one reply, or the steps as server-sent events."""
