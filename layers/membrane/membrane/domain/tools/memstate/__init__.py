"""Arguments and answers of MemState's tools over topics."""
