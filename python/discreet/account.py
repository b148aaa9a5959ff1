"""What many answers cost together; the verbs and options of `discreet account`. Costs nothing: no data is involved.

>>> compose(gaussian="100x1000", delta="1e-6")["epsilon_upper"]
1.36757147509
>>> convert(epsilon=1)["rho"]
0.5
"""

from __future__ import annotations

from typing import Any

from . import program


def compose(**options: Any) -> dict[str, Any]:
    """The cost of a list of mechanisms: compose(gaussian="100x1000", laplace_epsilon=["0.01x500"], delta="1e-6").

    >>> sorted(compose(epsilon="0.1x3", delta=0))[:2]
    ['delta', 'epsilon_lower']
    """
    return program.ask(["account", "compose"], options)


def dp_sgd(**options: Any) -> dict[str, Any]:
    """The cost of training: dp_sgd(sampling_probability=0.01, noise_multiplier=1, steps=10000, delta="1e-6")."""
    return program.ask(["account", "dp-sgd"], options)


def calibrate(**options: Any) -> dict[str, Any]:
    """The noise for a guarantee: calibrate(mechanism="gaussian", epsilon=1, delta="1e-6", count=10)."""
    return program.ask(["account", "calibrate"], options)


def convert(**options: Any) -> dict[str, Any]:
    """From one notion of privacy to another: convert(rho=0.1, delta="1e-6")."""
    return program.ask(["account", "convert"], options)


def group(**options: Any) -> dict[str, Any]:
    """The cost for several people at once, such as a family."""
    return program.ask(["account", "group"], options)


def parallel(**options: Any) -> dict[str, Any]:
    """The cost of questions about disjoint parts of the data."""
    return program.ask(["account", "parallel"], options)


def shuffle(**options: Any) -> dict[str, Any]:
    """How much privacy grows when reports are shuffled."""
    return program.ask(["account", "shuffle"], options)


def curve(**options: Any) -> Any:
    """Delta at every epsilon, as a list of points."""
    return program.ask(["account", "curve"], options)
