"""The AWS account and Region that the local stack takes itself to be in."""

ACCOUNT, REGION = "000000000000", "us-east-1"
