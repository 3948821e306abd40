"""Everyday use, its setup side: the gate in somebody's own repo, installed, looked after and taken out again."""
