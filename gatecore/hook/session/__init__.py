"""Everyday use on the hook path: sessions in somebody's own repo, and the requests in them."""
