"""Queries of topics, and the reinforcement of topics by reads."""
