"""Topics: units of knowledge whose named fields keep their history."""
