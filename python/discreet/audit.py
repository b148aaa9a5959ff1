"""Audits: what is claimed against what is measured; the verbs of `discreet audit`."""

from __future__ import annotations

from typing import Any

from . import program


def exact(mechanism: str | None = None, **options: Any) -> Any:
    """Walks all coin tapes of a mechanism, or of all: claimed and measured epsilon, exactly.

    >>> exact("laplace")["verdict"]
    'holds'
    """
    cases = program.ask(["audit", "exact"], options, files=[mechanism] if mechanism else [])
    return cases[0] if mechanism and isinstance(cases, list) and len(cases) == 1 else cases


def replay(sql: str, **options: Any) -> Any:
    """Asks on the data and on a neighbour with the same coins; whatever else differs is a finding. The owner's alone."""
    return program.ask(["audit", "replay"], options, files=[sql])


def conformance(**options: Any) -> Any:
    """The table of NIST SP 800-226's questions with this policy's answers."""
    return program.ask(["audit", "conformance"], options)
