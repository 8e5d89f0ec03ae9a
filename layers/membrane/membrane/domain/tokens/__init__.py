"""Opaque tokens in replies, for later requests: cursors and consistency tokens."""
