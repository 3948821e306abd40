"""A book in a JSON file."""
import json
import os

from .kitty import Kitty


def save(kitty, path):
    """Write the book; a file that is there already is replaced only once the new one is complete."""
    path = os.fspath(path)
    part = path + ".part"
    with open(part, "w", encoding="utf-8") as handle:
        json.dump(kitty.as_dict(), handle, ensure_ascii=False, indent=1)
    os.replace(part, path)


def load(path):
    with open(path, encoding="utf-8") as handle:
        return Kitty.from_dict(json.load(handle))
