"""Shared by every capability: vocabulary, errors, field types, JSON, timestamps, digests."""
