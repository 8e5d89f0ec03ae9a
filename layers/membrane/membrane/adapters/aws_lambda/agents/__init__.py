"""What agents reach over MCP: the tools, resources and prompts of the memory, for one key."""
