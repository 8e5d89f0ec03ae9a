"""The expected rate of success of a record without evidence; without imports, for the command."""

UNKNOWN = 0.5
"""The mean of a record without credit: as likely useful as not."""
