"""Keep the search index of records up to date."""
