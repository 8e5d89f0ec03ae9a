"""Conversations that a language model leads with the tools of memory."""
