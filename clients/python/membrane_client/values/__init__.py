"""Replies as values."""
