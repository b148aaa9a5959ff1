"""Exact noise on numbers that you hold already; the verbs of `discreet noise` and `choose`. Charged to no budget: that is up to you.

>>> import numpy
>>> counts = numpy.zeros(1000, dtype=numpy.int64)
>>> noisy = laplace(counts, sensitivity=1, epsilon="1/2")
>>> bool(abs(noisy.mean()) < 1), noisy.dtype.name                            # off with a chance below 1e-20
(True, 'int64')
>>> laplace(counts, sensitivity=1, epsilon=20, out=counts) is counts         # where it is, without a copy
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping

from . import _discreet, errors, program
from .answer import Interval, number

if TYPE_CHECKING:
    import numpy


def laplace(values: Any, *, sensitivity: Any, epsilon: Any, step: Any = None, confidence: Any = None,
            out: numpy.ndarray | None = None) -> Any:
    """Adds discrete Laplace noise: epsilon-differentially private where one person moves the values by at most `sensitivity`
    in sum (L1).

    An array of 64-bit integers gives one; with `out` it is written there, which may be the array itself. One number gives an
    Interval, with its `confidence` (0.95); `step` is the grid that numbers with decimals live on.

    >>> one = laplace(42, sensitivity=1, epsilon=20)
    >>> one.low <= one.value <= one.high
    True
    """
    if _is_array(values):
        if step is not None or confidence is not None:
            raise errors.InvalidInput("step and confidence are for one number; an array holds whole numbers of steps")
        return _array(_discreet.laplace, values, out, program.exact(sensitivity), program.exact(epsilon))
    return _one("laplace", values, sensitivity=sensitivity, epsilon=epsilon, step=step, confidence=confidence)


def gaussian(values: Any, *, sensitivity: Any, rho: Any = None, epsilon: Any = None, delta: Any = None, confidence: Any = None,
             out: numpy.ndarray | None = None) -> Any:
    """Adds discrete Gaussian noise: rho-zCDP where one person moves the values by at most `sensitivity` in L2. One number may
    have epsilon and delta in place of rho.

    >>> import numpy
    >>> len(gaussian(numpy.arange(5), sensitivity=1, rho="0.1"))
    5
    """
    if _is_array(values):
        if rho is None or epsilon is not None or delta is not None or confidence is not None:
            raise errors.InvalidInput("an array takes sensitivity and rho")
        return _array(_discreet.gaussian, values, out, program.exact(sensitivity), program.exact(rho))
    return _one("gaussian", values, sensitivity=sensitivity, rho=rho, epsilon=epsilon, delta=delta, confidence=confidence)


def geometric(value: Any, *, sensitivity: Any, epsilon: Any, lower: Any = None, upper: Any = None, confidence: Any = None) -> Interval:
    """A count with Laplace noise, held inside its public range (0 and more).

    >>> geometric(3, sensitivity=1, epsilon=1).value >= 0
    True
    """
    return _one("geometric", value, sensitivity=sensitivity, epsilon=epsilon, lower=lower, upper=upper, confidence=confidence)


def choose(scores: Mapping[str, Any], *, sensitivity: Any, epsilon: Any, method: str | None = None, top: int | None = None,
           confidence: Any = None) -> list[str]:
    """The names with the best scores, or nearly, by the exponential mechanism: `discreet choose`. The names are public.

    >>> choose({"apples": 120, "pears": 5}, sensitivity=1, epsilon=2)             # the other with a chance of e^-115
    ['apples']
    """
    lines = "".join(f"{name},{program.exact(score)}\n" for name, score in scores.items())
    if any("\n" in str(name) for name in scores):
        raise errors.InvalidInput("a name must be one line")
    given = {"sensitivity": sensitivity, "epsilon": epsilon, "method": method, "top": top, "confidence": confidence}
    said = program.ask(["choose"], given, text=lines)
    return [value for name, value in said.items() if name.startswith("chosen")]


def _is_array(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str)


def _array(add: Callable[..., None], values: Any, out: numpy.ndarray | None, *parameters: str) -> numpy.ndarray:
    import numpy

    given = numpy.asarray(values)
    if given.dtype != numpy.int64:
        raise errors.InvalidInput(f"noise is added to 64-bit integers, and these are {given.dtype}; round them to a grid "
                                  "that is fixed without looking at them: numpy.rint(x / step).astype(numpy.int64)")
    if out is None:
        out = numpy.empty(given.shape, numpy.int64)
    elif not isinstance(out, numpy.ndarray) or out.dtype != numpy.int64 or out.shape != given.shape or not out.flags.writeable:
        raise errors.InvalidInput("out must be a writable array of 64-bit integers of the same shape")
    if not given.flags.c_contiguous or not out.flags.c_contiguous:
        raise errors.InvalidInput("arrays must lie in one piece; numpy.ascontiguousarray() makes one that does")
    if out is not given and numpy.shares_memory(given, out) and out.ctypes.data != given.ctypes.data:
        raise errors.InvalidInput("out must be the array itself, or lie apart from it")
    try:
        add(given.reshape(-1), out.reshape(-1), *parameters)
    except _discreet.Failure as failure:
        raise errors.from_code(*failure.args) from None
    return out


def _one(kind: str, value: Any, **options: Any) -> Interval:
    said = program.ask(["noise", kind], {"value": value, **options})
    return Interval(*(number(str(said[name]), "decimal") for name in ("answer", "answer_low", "answer_high")))
