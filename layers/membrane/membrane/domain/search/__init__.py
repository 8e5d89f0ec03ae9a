"""Search: terms, vectors, relevance, and the score of relevance, salience and recency."""
