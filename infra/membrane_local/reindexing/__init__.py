"""Making the whole search index anew."""
