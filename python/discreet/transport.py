"""HTTP to a server of discreet."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from typing import Any, Mapping
from urllib.parse import urlencode, urlsplit

from . import errors


# What carries a question in its body; the rest is looked up.
_ASKED = frozenset({"query", "explain", "curve"})


class Connection:
    """A connection that is kept; made anew when the server has closed it. One thread at a time has it."""

    def __init__(self, url: str, *, ca: str | None = None, timeout: float = 660):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.InvalidInput(f"a server is http://HOST:PORT or https://HOST:PORT; got {url!r}")
        self._parts, self._timeout = parts, timeout
        self._context = ssl.create_default_context(cafile=ca) if parts.scheme == "https" else None
        self._wire: http.client.HTTPConnection | None = None
        self._lock = threading.Lock()
        self._token: str | None = None

    def log_in(self, name: str, password: str) -> None:
        self._token = self._exchange_json("POST", "/api/v1/login", {"name": name, "password": password})["token"]

    def call(self, verb: str, fields: Mapping[str, str]) -> Any:
        """The document that comes back. An interrupt in between closes the connection: what was asked goes on, and is charged."""
        path = "/api/v1/" + verb
        if verb in _ASKED:
            return self._exchange_json("POST", path, fields)
        return self._exchange_json("GET", path + ("?" + urlencode(fields) if fields else ""), None)

    def _exchange_json(self, method: str, target: str, body: Mapping[str, str] | None) -> Any:
        headers = {"Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        with self._lock:
            status, text = self._exchange(method, target, data, headers)
        try:
            reply = json.loads(text)
        except ValueError:
            raise errors.Error(f"the server gave status {status} and no JSON") from None
        if status >= 400:
            raise errors.from_code(reply.get("error", "bug"), reply.get("message", f"status {status}"))
        return reply

    def _exchange(self, method: str, target: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        # A connection that was idle may be closed at the other end. Only where nothing of an answer came is it tried again,
        # and only what may be asked twice; a question carries its request id, so it may.
        for is_last in (False, True):
            fresh = self._wire is None
            if fresh:
                kind = http.client.HTTPConnection if self._context is None else http.client.HTTPSConnection
                extra = {} if self._context is None else {"context": self._context}
                self._wire = kind(self._parts.hostname, self._parts.port, timeout=self._timeout, **extra)
            try:
                assert self._wire is not None
                self._wire.request(method, target, body=data, headers=dict(headers))
                reply = self._wire.getresponse()
                return reply.status, reply.read()
            except (http.client.HTTPException, ConnectionError, BrokenPipeError) as broken:
                self.close()
                if is_last or fresh:
                    raise errors.EngineError(f"the server cannot be reached: {broken}") from None
            except OSError as away:
                self.close()
                raise errors.EngineError(f"the server cannot be reached: {away}") from None
            except BaseException:
                self.close()
                raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()
