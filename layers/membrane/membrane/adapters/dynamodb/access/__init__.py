"""API keys as items."""
