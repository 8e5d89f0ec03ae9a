"""The order by salience: a merge of walks down the partitions of the rank index."""
