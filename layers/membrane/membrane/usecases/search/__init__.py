"""Search records: answer a retrieval by task or by salience, and maintain the search index."""
