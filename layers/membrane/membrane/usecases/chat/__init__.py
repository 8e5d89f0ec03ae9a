"""Conversations: choose a route, ask the model, run the tools that the model calls."""
