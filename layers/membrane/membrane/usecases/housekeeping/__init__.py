"""Scheduled jobs over the stored items of all capabilities."""
