"""Entities: names in content, the entities that bear the names, and the merging of entities."""
