"""In which order configs and tasks are shown."""

import re
from functools import lru_cache

_CONFIGS = ("bare", "g1", "g3", "g13", "g13adv")


def config_order(cfg: str) -> tuple[int, str]:
    """Sort key: the original's configs in its order, then the others by name."""
    return (_CONFIGS.index(cfg) if cfg in _CONFIGS else len(_CONFIGS)), cfg


@lru_cache(4096)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key by which T2 comes before T10."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((len(part.lstrip("0")), part) if i % 2 else (0, part) for i, part in enumerate(parts))
