"""`membrane forget`: a record is deleted, a target is erased with a certificate."""
