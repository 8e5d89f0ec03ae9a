"""The opaque tokens that a reader hands back: cursors and consistency tokens."""
