"""Replies as values. Written by `make openapi`."""
