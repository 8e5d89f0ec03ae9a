"""Items of the table for captures, beside the records."""
