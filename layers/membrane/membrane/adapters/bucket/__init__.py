"""The bucket: blobs, imports, presigned links."""
