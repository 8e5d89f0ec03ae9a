"""Reading topics: by id, in lists, as a graph; what is kept beside them."""
