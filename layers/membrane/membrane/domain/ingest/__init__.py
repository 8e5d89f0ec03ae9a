"""From a report to a new record: candidate, policy, classification, payload."""
