"""Sessions: questions to a policy on this machine, or to a server elsewhere."""

from __future__ import annotations

import getpass
import os
import uuid
import weakref
from typing import Any

from . import errors
from .answer import Answer, Curve, Explanation
from .program import exact
from .transport import Connection, OwnServer, path_part


def connect(place: str | os.PathLike[str], *, ledger: str | None = None, key: str | None = None, witness: str | None = None,
            analyst: str | None = None, password: str | None = None, ca: str | None = None) -> "Session":
    """A session with a policy's file, or with a server's address.

    connect("policy.yaml", analyst="ann")                     on this machine, as its owner; ann's cap pays
    connect("https://stat.example:8080", analyst="ann")       asks for the password, or takes it from DISCREET_PASSWORD
    """
    where = os.fspath(place)
    if where.startswith(("http://", "https://")):
        if ledger or key or witness:
            raise errors.InvalidInput("ledger, key and witness are the server's; leave them out")
        connection = Connection(where, ca=ca)
        name = analyst or getpass.getuser()
        secret = password or os.environ.get("DISCREET_PASSWORD") or getpass.getpass(f"password of {name}: ")
        try:
            connection.token = connection.call("POST", "/api/v1/login", {"name": name, "password": secret})["token"]
        except BaseException:
            connection.close()
            raise
        return Session(connection, name, None, where)
    server = OwnServer(where, ledger=ledger, key=key, witness=witness)
    connection = Connection(server.url)
    try:
        connection.token = connection.call("POST", "/api/v1/login", {"name": "owner", "password": server.password})["token"]
        name = analyst or "owner"
        if name != "owner":
            made = connection.call("POST", "/api/v1/accounts", {"name": name, "role": "analyst"})
            connection.token = connection.call("POST", "/api/v1/login", {"name": name, "password": made["password"]})["token"]
    except BaseException:
        _close(connection, server)
        raise
    session = Session(connection, name, server, where)
    session.options = {"policy": where, "ledger": ledger, "key": key, "witness": witness, "analyst": name}
    return session


class Session:
    """Made by connect(). Close it, or use it in a `with`."""

    def __init__(self, connection: Connection, analyst: str, server: OwnServer | None, place: str):
        self._connection, self._server = connection, server
        self.analyst, self.place = analyst, place
        #: How the command line would be pointed at the same policy; for learn.
        self.options: dict[str, Any] | None = None
        self._last_id: str | None = None
        # Also when it is forgotten.
        weakref.finalize(self, _close, connection, server)

    def query(self, sql: str, *, epsilon: Any = None, error: Any = None, delta: Any = None, about: Any = None, rows: Any = None,
              confidence: Any = None, max_groups: int | None = None, max_rows: int | None = None,
              request_id: str | None = None) -> Answer:
        """Asks, pays, and gives the answer with its intervals.

        `epsilon` is what it may cost, or `error` what half width is wanted: 100, or "5%" of `about`. Numbers may be given as
        texts ("0.1"), which are exact. Asking again with the same `request_id` gives the same answer, free: after an interrupt,
        `session.last_request_id` is the one to use.
        """
        self._last_id = request_id or "py-" + uuid.uuid4().hex
        body = _fields(sql=sql, epsilon=epsilon, error=error, delta=delta, about=about, rows=rows, confidence=confidence,
                       max_groups=max_groups, max_rows=max_rows, request_id=self._last_id)
        return Answer(self._connection.call("POST", "/api/v1/query", body), sql)

    @property
    def last_request_id(self) -> str | None:
        return self._last_id

    def explain(self, sql: str, *, epsilon: Any = None, error: Any = None, delta: Any = None, about: Any = None, rows: Any = None,
                confidence: Any = None, max_groups: int | None = None, max_rows: int | None = None) -> Explanation:
        """Price, noise and expected error; costs nothing."""
        body = _fields(sql=sql, epsilon=epsilon, error=error, delta=delta, about=about, rows=rows, confidence=confidence,
                       max_groups=max_groups, max_rows=max_rows)
        return Explanation(self._connection.call("POST", "/api/v1/explain", body))

    def curve(self, sql: str, *, low: Any = None, high: Any = None, delta: Any = None, rows: Any = None) -> Curve:
        """Expected error against epsilon from `low` to `high`; costs nothing."""
        body = _fields(sql=sql, delta=delta, rows=rows, **{"from": low, "to": high})
        points = self._connection.call("POST", "/api/v1/curve", body)["points"]
        return Curve((float(point["epsilon"]), point["half_width"]) for point in points)

    def budget(self) -> list[dict[str, Any]]:
        """What is left, for each namespace of units."""
        return self._connection.call("GET", "/api/v1/budget")["budgets"]

    def history(self, last: int = 100) -> list[dict[str, Any]]:
        """The newest records of the ledger that this analyst may see."""
        return self._connection.call("GET", "/api/v1/history", query={"last": last})["records"]

    def catalog(self) -> list[dict[str, Any]]:
        """Tables and columns that may be asked about."""
        return self._connection.call("GET", "/api/v1/catalog")["tables"]

    def job(self, job: str) -> dict[str, Any]:
        """Stage and deadline of a question that was asked without waiting."""
        return self._connection.call("GET", "/api/v1/jobs/" + path_part(job))

    def close(self) -> None:
        _close(self._connection, self._server)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<discreet session with {self.place!r} as {self.analyst}>"


def _close(connection: Connection, server: OwnServer | None) -> None:
    connection.close()
    if server is not None:
        server.close()


def _fields(**given: Any) -> dict[str, str]:
    """
    >>> _fields(sql="SELECT 1", epsilon=0.1, delta=None, max_groups=3)
    {'sql': 'SELECT 1', 'epsilon': '0.1', 'max_groups': '3'}
    """
    return {name: exact(value) for name, value in given.items() if value is not None}
