"""A Messages API that answers by a script: what the client sends is kept, what it is told was fixed before."""

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, NamedTuple

USAGE = {"input_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
OUTPUT_TOKENS = 100


class Say(NamedTuple):
    """The model says something and ends its turn."""

    text: str = "Done."


class Use(NamedTuple):
    """The model uses a tool."""

    tool: str
    given: Mapping[str, Any]


class Refuse(NamedTuple):
    """The API answers with an error."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = {}


class Hang(NamedTuple):
    """The API does not answer at all."""


Reply = Say | Use | Refuse | Hang
Replies = Sequence[Reply]
"""The replies of one conversation in order; the last is repeated."""
Script = Mapping[str, "Replies | Callable[[Request], Replies]"]
"""Replies by role, which may depend on what is asked."""


class Request(NamedTuple):
    """One request for a message."""

    role: str  # worker, writer, reviewer or challenger
    turn: int  # replies in the conversation so far
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All that the model is sent."""
        return json.dumps(self.body, ensure_ascii=False)


def bash(command: str) -> Use:
    """The model runs a command."""
    return Use("Bash", {"command": command, "description": "x"})


def answer(**value: Any) -> Use:
    """The model answers by the schema it was given."""
    return Use("StructuredOutput", value)


class FakeApi:
    """The server. `play` sets the script and forgets what came before; `wire` is what was asked since."""

    def __init__(self, listening: socket.socket) -> None:
        self.wire: list[Request] = []
        self.script: Script = {}
        self.closing = threading.Event()
        self.url = "http://{}:{}".format(*listening.getsockname())
        self._server = _Server(self, listening)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def play(self, **script: "Replies | Callable[[Request], Replies]") -> None:
        """Answer by `script` from now on: replies by role."""
        self.wire, self.script = [], script

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def asked(self, role: str) -> list[Request]:
        """The requests of one role, in order."""
        return [request for request in self.wire if request.role == role]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, api: FakeApi, listening: socket.socket) -> None:
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    _ids = count(1)

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.partition("?")[0] != "/v1/messages":
            self.send_error(404)
            return
        body = json.loads(raw)
        request = Request(
            _role(body),
            sum(message["role"] == "assistant" for message in body["messages"]),
            {name.lower(): value for name, value in self.headers.items()},
            body,
        )
        api = self.server.api
        api.wire.append(request)
        script = api.script.get(request.role, ())
        replies = script(request) if callable(script) else script
        reply = replies[min(request.turn, len(replies) - 1)] if replies else Say()
        if isinstance(reply, Hang):
            api.closing.wait(120)
        elif isinstance(reply, Refuse):
            self._refuse(reply)
        else:
            self._stream(reply, body["model"])

    def _refuse(self, reply: Refuse) -> None:
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        error = {"type": "error", "error": {"type": reply.kind, "message": reply.message}}
        self.wfile.write(json.dumps(error).encode())

    def _stream(self, reply: Say | Use, model: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        n = next(self._ids)
        if isinstance(reply, Say):
            why, block = "end_turn", {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": reply.text}
        else:
            why = "tool_use"
            block = {"type": "tool_use", "id": f"toolu_{n:024}", "name": reply.tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.given)}
        message = {
            "id": f"msg_{n:024}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
        }
        begun = {
            **message,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**USAGE, "output_tokens": 1},
        }
        ended = {"stop_reason": why, "stop_sequence": None}
        self._event("message_start", message=begun)
        self._event("content_block_start", index=0, content_block=block)
        self._event("content_block_delta", index=0, delta=delta)
        self._event("content_block_stop", index=0)
        self._event("message_delta", delta=ended, usage={"output_tokens": OUTPUT_TOKENS})
        self._event("message_stop")

    def _event(self, kind: str, **fields: Any) -> None:
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())


def _role(body: Mapping[str, Any]) -> str:
    """Who asks: each role has a schema of its own for its answer, the worker has none."""
    schemas = [tool["input_schema"] for tool in body.get("tools", ()) if tool["name"] == "StructuredOutput"]
    asked = schemas[0].get("properties", {}) if schemas else {}
    roles = {"file": "writer", "verdicts": "challenger", "approve": "reviewer"}
    return next((role for key, role in roles.items() if key in asked), "worker")
