"""Replies as typed values over JSON."""
