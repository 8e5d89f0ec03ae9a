"""What the table holds for captures, beside the records."""
