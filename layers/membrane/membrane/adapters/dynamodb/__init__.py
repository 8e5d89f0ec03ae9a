"""Records, topics, search entries and API keys in a DynamoDB table."""
