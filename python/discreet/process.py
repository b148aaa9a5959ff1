"""`discreet keep`: a process of its own for what reads data, so that no row of it is ever in this one's memory."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import IO, Any, Mapping

from . import errors, program


class _Errand:
    """A request on its way, and what came of it."""

    def __init__(self, line: bytes):
        self.line = line
        self.done = threading.Event()
        self.code = "engine"
        self.text = b"the process that held the data has ended; what was charged is stored: connect and ask again"


class Process:
    """A keeper for as long as this object lives. Its pipes belong to one thread that no signal reaches, so an
    interrupt ends the waiting and never cuts a message in two: what was asked goes on, and is charged."""

    def __init__(self, options: Mapping[str, Any], log: IO[bytes] | None = None):
        self._process = subprocess.Popen([program.find(), "keep", *program.options(options)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if log is None else log,
                                         start_new_session=True)  # an interrupt here is not one there
        self._is_closed = False
        self._errands: queue.SimpleQueue[_Errand | None] = queue.SimpleQueue()
        self._porter = threading.Thread(target=_carry, args=(self._process, self._errands), daemon=True)
        self._porter.start()
        try:
            self._wait(_Errand(b""))  # whether it could be opened
        except BaseException:
            self.kill()
            raise

    def call(self, verb: str, fields: Mapping[str, str]) -> Any:
        """The document that comes back. Requests of several threads are served one after the other."""
        return json.loads(self._wait(_Errand(json.dumps({"verb": verb, "fields": fields}).encode() + b"\n")))

    def _wait(self, errand: _Errand) -> bytes:
        if self._is_closed:
            raise errors.EngineError("the session is closed")
        self._errands.put(errand)
        errand.done.wait()
        if errand.code != "ok":
            raise errors.from_code(errand.code, errand.text.decode("utf-8", "replace"))
        return errand.text

    def close(self) -> None:
        """Ends the keeper; one that is at work ends when it is done, so that what it was asked is charged and stored."""
        self._is_closed = True
        self._errands.put(None)
        self._porter.join(timeout=5)
        if self._porter.is_alive():
            return
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def kill(self) -> None:
        self._process.kill()
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid


def _carry(process: subprocess.Popen[bytes], errands: queue.SimpleQueue[_Errand | None]) -> None:
    """One errand after the other, until there are no more."""
    assert process.stdin is not None and process.stdout is not None
    while True:
        errand = errands.get()
        if errand is None:
            try:
                process.stdin.close()
            except OSError:  # it is gone
                pass
            return
        try:
            process.stdin.write(errand.line)
            process.stdin.flush()
            code, length = process.stdout.readline().split()
            text = process.stdout.read(int(length))
            if len(text) == int(length):
                errand.code, errand.text = code.decode(), text
        except (OSError, ValueError):  # it is gone; the errand says so
            pass
        errand.done.set()
