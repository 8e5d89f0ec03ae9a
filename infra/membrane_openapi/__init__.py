"""The API's OpenAPI document, written from the request models and the route table."""
