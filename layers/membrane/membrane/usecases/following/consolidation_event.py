"""The event that starts the consolidation."""

CONSOLIDATE = "membrane-consolidate"
"""Names the event of a thread, `{"scope": str, "thread_id": str}`, or of the schedule, `{}`.

A run that hands over adds `{"hop": int}`, the count of earlier runs.
"""
