"""The gate ledger: records, a tolerant reader, a locked writer, classes of stops and tallies.

`reader` and what it needs import msgspec; `writer` is on the hook path and imports the standard library only.
"""
