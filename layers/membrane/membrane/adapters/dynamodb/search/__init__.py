"""The search index: entries, vector search, exact search, threads, answer receipts."""
