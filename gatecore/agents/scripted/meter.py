"""Invented, but repeatable, tokens and money: the same words of the same run always cost the same."""

import hashlib
from typing import Any

# Dollars per million tokens.
_INPUT, _OUTPUT, _CACHE_WRITE, _CACHE_READ = 2.0, 10.0, 2.5, 0.2


class Meter:
    """What the calls of one process have used so far."""

    def __init__(self, seed: str, context: int) -> None:
        """`context` is about the number of tokens that the first call reads in."""
        self._seed = seed
        self._context = context
        self._calls = 0
        self._input = self._output = self._cache_write = self._cache_read = 0

    def call(self, text: str) -> dict[str, Any]:
        """Count one call of the model that answers `text`; returns the usage of that call."""
        draw = hashlib.sha256(f"{self._seed}|{self._calls}|{text}".encode("utf-8", "replace")).digest()
        if self._calls == 0:
            cache_write, cache_read = self._context + self._context * draw[0] // 512, 8_000 + 40 * draw[1]
        else:
            cache_write, cache_read = 300 + 4 * draw[0], 12_000 + 60 * draw[1]
        fresh, output = 4 + draw[2] % 36, 120 + draw[3] + len(text) // 4
        self._calls += 1
        self._input += fresh
        self._output += output
        self._cache_write += cache_write
        self._cache_read += cache_read
        return _usage(fresh, output, cache_write, cache_read)

    @property
    def usd(self) -> float:
        """Everything so far, at list price."""
        millionths = (
            self._input * _INPUT
            + self._output * _OUTPUT
            + self._cache_write * _CACHE_WRITE
            + self._cache_read * _CACHE_READ
        )
        return round(millionths / 1e6, 6)

    def usage(self) -> dict[str, Any]:
        """Everything so far, as `usage` of a result."""
        return _usage(self._input, self._output, self._cache_write, self._cache_read) | {
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
        }

    def model_usage(self, model: str) -> dict[str, Any]:
        """Everything so far, as `modelUsage` of a result; empty without a call."""
        if self._calls == 0:
            return {}
        used = {
            "inputTokens": self._input,
            "outputTokens": self._output,
            "cacheReadInputTokens": self._cache_read,
            "cacheCreationInputTokens": self._cache_write,
            "webSearchRequests": 0,
            "costUSD": self.usd,
            "contextWindow": 200_000,
            "maxOutputTokens": 64_000,
            "canonicalModel": model,
            "provider": "firstParty",
            "costBasis": "list",
        }
        return {model: used}


def _usage(fresh: int, output: int, cache_write: int, cache_read: int) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": cache_write,
        "cache_read_input_tokens": cache_read,
        "output_tokens": output,
    }
