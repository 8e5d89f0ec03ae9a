"""Tools for agents: arguments, answers, and the JSON schemas of both."""
