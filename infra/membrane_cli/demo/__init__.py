"""`membrane demo`: what the memory does, shown on a local stack of its own."""
