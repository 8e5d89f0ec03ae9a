"""Exports and restores over the table."""
