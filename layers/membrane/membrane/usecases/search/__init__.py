"""Search records: answer a retrieval by task or by salience, and keep the search index."""
