"""Replies as typed values over the JSON that came."""
