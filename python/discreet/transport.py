"""HTTP to a server of discreet, and a server of one's own for a policy on this machine."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
from typing import Any, Mapping
from urllib.parse import quote, urlencode, urlsplit

from . import errors, program


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
        self.token: str | None = None

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None) -> Any:
        """The JSON that comes back. An Interrupt in between closes the connection: what was asked goes on, and is charged."""
        target = path + ("?" + urlencode(query) if query else "")
        headers = {"Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
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


class OwnServer:
    """`discreet serve` for one policy, on a free port of this machine, for as long as this object lives.

    Its accounts are thrown away with it; the ledger is not.
    """

    def __init__(self, policy: str, **options: Any):
        self._folder = tempfile.mkdtemp(prefix="discreet-")
        words = [program.find(), "serve", "--policy", policy, "--listen", "127.0.0.1:0", "--state",
                 os.path.join(self._folder, "state"), "--tick-ms", "1", "--answer-ms", "1", *program.options(options)]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         text=True, start_new_session=True)  # an Interrupt here is not one there
        self._drainer: threading.Thread | None = None
        said = []
        assert self._process.stderr is not None
        for line in self._process.stderr:
            said.append(line)
            if line.startswith("serving on "):
                break
        text = "".join(said)
        url = re.search(r"serving on (http://\S+?);", text)
        password = re.search(r"password\s+(\S+)", text)
        if not url or not password:
            status = self._process.wait()
            self.close()
            raise errors.from_status(status, text.strip().removeprefix("discreet: "))
        self.url, self.password = url.group(1), password.group(1)
        # What it logs must not fill the pipe.
        self._drainer = threading.Thread(target=self._drain, daemon=True)
        self._drainer.start()

    def _drain(self) -> None:
        assert self._process.stderr is not None
        for _ in self._process.stderr:
            pass

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        assert self._process.stderr is not None
        if self._drainer is not None:
            self._drainer.join(timeout=5)
        self._process.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def path_part(text: str) -> str:
    return quote(text, safe="")
