"""The routes by capability: which operation answers which method and path."""
