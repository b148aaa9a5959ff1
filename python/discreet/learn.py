"""Models, with scikit-learn's conventions: get_params, fit, predict. fit() charges the ledger; everything after it is free.

    model = discreet.learn.Classifier(target="smoker", features=["age", "cost"], epsilon=1).fit(session)
    model.predict([{"age": 40, "cost": 120}])
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from typing import Any, Iterable, Mapping

from . import errors, program
from .session import Session


class Model:
    """What all tasks have in common; parameters are those of `discreet learn TASK`."""

    task = ""

    def __init__(self, **params: Any):
        self._params = dict(params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return dict(self._params)

    def set_params(self, **params: Any) -> "Model":
        self._params.update(params)
        return self

    def fit(self, session: Session, y: Any = None) -> "Model":
        """Learns from the session's policy; its analyst's cap pays. The rows stay where they are."""
        if session.options is None:
            raise errors.Unsupported("models are learned where the data is; connect to the policy's file there")
        if y is not None:
            raise errors.InvalidInput("rows come from the policy's tables; name columns as target and features")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            given = {**session.options, **self._params, "output": path}
            given = {k: ",".join(v) if k in ("features", "columns") and not isinstance(v, str) else v for k, v in given.items()}
            self.report_ = program.run(["learn", self.task], given)
            with open(path, encoding="utf-8") as file:
                #: The model as it is saved, with its certificate.
                self.model_: dict[str, Any] = json.load(file)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._fitted(), file)

    def predict(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
        """What the model says of new rows: the columns that `discreet predict` adds, for each. Takes a DataFrame too."""
        if hasattr(rows, "to_dict"):
            rows = rows.to_dict("records")
        given = list(rows)
        if not given:
            return []
        names = list(given[0])
        table = io.StringIO()
        writer = csv.DictWriter(table, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(given)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self._fitted(), file)
            printed = program.run(["predict"], {}, files=[path], text=table.getvalue())
        return [{k: v for k, v in row.items() if k not in names} for row in csv.DictReader(io.StringIO(printed))]

    def _fitted(self) -> dict[str, Any]:
        if not hasattr(self, "model_"):
            raise errors.InvalidInput("the model is not fitted yet; call fit() first")
        return self.model_

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in self._params.items())
        return f"{type(self).__name__}({inside})"


class Classifier(Model):
    """Which of several listed values a column has."""

    task = "classify"


class Regressor(Model):
    """A number from others, by least squares."""

    task = "regress"


class KMeans(Model):
    """k centres that rows are near to."""

    task = "cluster"


class Network(Model):
    """A small network, by noisy gradients."""

    task = "network"
