"""API keys for operators."""
