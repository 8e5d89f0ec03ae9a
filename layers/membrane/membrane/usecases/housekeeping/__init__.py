"""Scheduled jobs over all that the service stores, whatever the capability."""
