"""Studies of documents over the table."""
