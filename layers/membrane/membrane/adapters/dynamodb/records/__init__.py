"""Records as items: own item, history, audit, edges, tombstone, uploads, blobs."""
