"""Replies about topics, as the requests are grouped."""
