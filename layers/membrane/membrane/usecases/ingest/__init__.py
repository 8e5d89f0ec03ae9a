"""Ingest a report, or a full record."""
