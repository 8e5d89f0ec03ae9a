"""DynamoDB in memory: a table with DynamoDB's rules, called by botocore's own client."""
