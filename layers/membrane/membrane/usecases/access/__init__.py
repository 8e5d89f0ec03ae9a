"""API keys: create, list, revoke, authenticate."""
