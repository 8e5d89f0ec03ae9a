"""The requests about topics: ingest, query, and what editors ask for."""
