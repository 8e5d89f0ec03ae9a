"""Records and API keys in one DynamoDB table (design 6)."""
