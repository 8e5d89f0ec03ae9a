"""Find the entities that bear a name."""
