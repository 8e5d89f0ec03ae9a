"""Changes of salience and decay profile, pruning, deletion and restore of records."""
