"""Models, with scikit-learn's conventions: get_params, fit, predict. fit() charges the ledger; everything after it is free.

>>> model = Classifier(target="smoker", features=["age", "cost"], epsilon=5).fit(session)
>>> model.classes_, model.predict([{"age": 40, "cost": 120.5}]).shape
(['false', 'true'], (1,))
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, TypeVar

from . import errors, program
from .session import Session

if TYPE_CHECKING:
    import numpy

M = TypeVar("M", bound="Model")


class Model:
    """What all tasks have in common. Parameters are the options of `discreet learn TASK`; None is the command line's default."""

    task = ""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """
        >>> KMeans(k=3, epsilon=1).get_params()["k"]
        3
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self: M, **params: Any) -> M:
        """
        >>> KMeans().set_params(k=4).k
        4
        """
        for name, value in params.items():
            if name not in self._names():
                raise errors.InvalidInput(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def fit(self: M, session: Session, y: Any = None) -> M:
        """Learns from the session's policy; its analyst's cap pays. The rows stay where they are."""
        if not isinstance(session, Session):
            raise errors.InvalidInput("fit() takes a session: rows come from the policy's tables")
        if session.options is None:
            raise errors.Unsupported("models are learned where the data is; connect to the policy's file there")
        if y is not None:
            raise errors.InvalidInput("rows come from the policy's tables; name columns as target and features")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            given = {**session.options, **self.get_params(), "output": path}
            features = given.get("features")
            if features is not None and not isinstance(features, str):
                given["features"] = ",".join(features)
            program.run(["learn", self.task], given)
            with open(path, encoding="utf-8") as file:
                #: The model as it is saved, with its certificate.
                self.model_: dict[str, Any] = json.load(file)
        return self

    @property
    def certificate_(self) -> dict[str, Any]:
        """What was paid, and what is guaranteed for it."""
        return dict(self._fitted()["certificate"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """As `discreet predict` reads it."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._fitted(), file)

    def predict(self, rows: Iterable[Mapping[str, Any]]) -> numpy.ndarray:
        """What the model says of each row, as an array; rows with empty cells are None. Takes mappings, or a DataFrame."""
        import numpy

        said = [next(iter(row.values()), "") for row in self.predict_table(rows)]
        return numpy.array([self._value(cell) for cell in said])

    def predict_table(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
        """The columns that `discreet predict` adds, for each row."""
        if hasattr(rows, "to_dict"):
            rows = rows.to_dict("records")
        given = list(rows)
        model = json.dumps(self._fitted())
        if not given:
            return []
        names = list(given[0])
        table = io.StringIO()
        writer = csv.DictWriter(table, names, lineterminator="\n")
        writer.writeheader()
        for row in given:
            if list(row) != names:
                raise errors.InvalidInput(f"all rows must have the columns {', '.join(map(str, names))}")
            writer.writerow({name: _cell(value) for name, value in row.items()})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(model)
            printed = program.run(["predict"], {}, files=[path], text=table.getvalue())
        lines = list(csv.reader(io.StringIO(printed)))
        return [dict(zip(lines[0][len(names):], line[len(names):])) for line in lines[1:]]

    def _value(self, cell: str) -> Any:
        return cell or None

    def _fitted(self) -> dict[str, Any]:
        if not hasattr(self, "model_"):
            raise errors.InvalidInput("the model is not fitted yet; call fit() first")
        return self.model_

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items() if value is not None)
        return f"{type(self).__name__}({inside})"


def _cell(value: Any) -> Any:
    """As a policy's columns spell it."""
    return ("true" if value else "false") if isinstance(value, bool) else value


class _OfClasses(Model):
    @property
    def classes_(self) -> list[str]:
        """The values that the target may have, in the order of predict_proba's columns."""
        return list(self._fitted()["model"]["classes"])

    def predict_proba(self, rows: Iterable[Mapping[str, Any]]) -> numpy.ndarray:
        """The chance of each class, for each row."""
        import numpy

        names = ["probability_" + name for name in self.classes_]
        return numpy.array([[float(row[name] or "nan") for name in names] for row in self.predict_table(rows)])


class Classifier(_OfClasses):
    """Which of several listed values a column has: logistic regression."""

    task = "classify"

    def __init__(self, target: str | None = None, features: Sequence[str] | None = None, table: str | None = None,
                 epsilon: Any = None, delta: Any = None, group: str | None = None, request_id: str | None = None):
        self.target, self.features, self.table, self.epsilon = target, features, table, epsilon
        self.delta, self.group, self.request_id = delta, group, request_id


class NaiveBayes(_OfClasses):
    """The same from counts of each feature alone: for few features whose effect goes up and down."""

    task = "naive-bayes"

    def __init__(self, target: str | None = None, features: Sequence[str] | None = None, table: str | None = None,
                 epsilon: Any = None, delta: Any = None, bins: int | None = None, group: str | None = None,
                 request_id: str | None = None):
        self.target, self.features, self.table, self.epsilon = target, features, table, epsilon
        self.delta, self.bins, self.group, self.request_id = delta, bins, group, request_id


class Network(_OfClasses):
    """A small network, by noisy gradients."""

    task = "network"

    def __init__(self, target: str | None = None, features: Sequence[str] | None = None, table: str | None = None,
                 epsilon: Any = None, delta: Any = None, hidden: int | None = None, steps: int | None = None, sampling: Any = None,
                 rate: Any = None, request_id: str | None = None):
        self.target, self.features, self.table, self.epsilon, self.delta = target, features, table, epsilon, delta
        self.hidden, self.steps, self.sampling, self.rate, self.request_id = hidden, steps, sampling, rate, request_id


class Regressor(Model):
    """A number from others, by least squares."""

    task = "regress"

    def __init__(self, target: str | None = None, features: Sequence[str] | None = None, table: str | None = None,
                 epsilon: Any = None, delta: Any = None, ridge: Any = None, request_id: str | None = None):
        self.target, self.features, self.table, self.epsilon = target, features, table, epsilon
        self.delta, self.ridge, self.request_id = delta, ridge, request_id

    @property
    def coef_(self) -> list[Mapping[str, Any]]:
        """A coefficient for each feature, per unit of its column, with its interval."""
        return list(self._fitted()["model"]["coefficients"])

    def _value(self, cell: str) -> Any:
        return float(cell or "nan")


class KMeans(Model):
    """k centres that rows are near to."""

    task = "cluster"

    def __init__(self, features: Sequence[str] | None = None, table: str | None = None, k: int | None = None, epsilon: Any = None,
                 delta: Any = None, request_id: str | None = None):
        self.features, self.table, self.k = features, table, k
        self.epsilon, self.delta, self.request_id = epsilon, delta, request_id

    @property
    def cluster_centers_(self) -> numpy.ndarray:
        """One row for each centre, in the features' own units."""
        import numpy

        return numpy.array(self._fitted()["model"]["centres"])

    def _value(self, cell: str) -> Any:
        return int(cell) if cell else None


_TASKS: dict[str, type[Model]] = {each.task: each for each in (Classifier, NaiveBayes, Network, Regressor, KMeans)}


def task(name: str, **params: Any) -> Model:
    """The model of a task of `discreet learn`.

    >>> task("cluster", k=3)
    KMeans(k=3)
    """
    if name not in _TASKS:
        raise errors.InvalidInput(f"no such task: {name!r}; there are {', '.join(_TASKS)}")
    return _TASKS[name]().set_params(**params)
