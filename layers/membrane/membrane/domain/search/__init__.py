"""Search: terms, vectors, relevance, and the fusion of relevance with salience."""
