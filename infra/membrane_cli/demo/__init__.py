"""`membrane demo`: the use of a memory for agents, shown on a local stack."""
