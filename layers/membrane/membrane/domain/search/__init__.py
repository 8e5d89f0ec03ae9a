"""Finding records by what they say: terms, vectors, relevance, and their fusion with salience."""
