"""The AWS account and Region of the local stack."""

ACCOUNT, REGION = "000000000000", "us-east-1"
