"""Entities: names in content, the entities that bear the names, and how entities become one."""
