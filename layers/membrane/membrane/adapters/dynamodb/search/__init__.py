"""The search index: vectors, searches, the registry of scopes, answer receipts."""
