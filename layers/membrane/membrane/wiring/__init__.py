"""The composition root: settings, clock, ids, clients, and the world made from all."""
