"""Reinforce, penalize, pin, delete, restore and prune records; preview their decay."""
