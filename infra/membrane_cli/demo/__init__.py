"""`membrane demo`: what the memory does for agents, shown on a local stack of its own."""
