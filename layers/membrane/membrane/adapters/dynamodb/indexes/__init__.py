"""The sparse indexes of records: rank, due, natural; and the registry of decay classes."""
