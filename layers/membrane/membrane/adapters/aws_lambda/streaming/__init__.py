"""A runtime for Lambda that can stream: AWS's runtime for Python sends whole replies alone."""
