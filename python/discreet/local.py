"""Surveys in which nobody is trusted with the true answers; the verbs of `discreet local`.

>>> import tempfile, os
>>> folder = tempfile.mkdtemp()
>>> survey = Survey.design(os.path.join(folder, "s.survey"), name="smoking", epsilon=1, labels="no,yes")
>>> report = survey.report("yes", memory=os.path.join(folder, "me"), lifetime_budget=10)
>>> report == survey.report("yes", memory=os.path.join(folder, "me"))  # asked again: the same report, at no price
True
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Iterable

from . import errors, program


class Survey:
    """A survey's file: what is asked, and how answers are randomized."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        if not self.path.exists():
            raise errors.NotFound(f"there is no survey {str(self.path)!r}")

    @classmethod
    def design(cls, path: str | os.PathLike[str], **options: Any) -> "Survey":
        """Makes a survey: design("s.survey", name="smoking", epsilon=1, labels="no,yes")."""
        program.run(["local", "survey"], {**options, "out": str(path)})
        return cls(path)

    def report(self, answer: str, *, memory: str | os.PathLike[str], lifetime_budget: Any = None) -> bytes:
        """One person's answer, randomized here, from their own lifetime budget in the file `memory`."""
        return self._make({"memory": str(memory), "lifetime_budget": lifetime_budget, "answer": answer}, "")

    def simulate(self, answers: Iterable[str]) -> bytes:
        """Reports of invented people, to try a survey out."""
        return self._make({"simulate": True}, "\n".join(answers) + "\n")

    def estimate(self, reports: Iterable[bytes], **options: Any) -> Any:
        """Shares, a mean or strings from reports, with intervals; each report counts once."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for i, report in enumerate(reports):
                path = Path(folder) / str(i)
                path.write_bytes(report)
                files.append(str(path))
            return program.ask(["local", "estimate"], {**options, "survey": str(self.path)}, files=files)

    def _make(self, options: dict[str, Any], text: str) -> bytes:
        return program.run_bytes(["local", "report"], {"survey": str(self.path), **options}, input=text.encode())


def compare(**options: Any) -> Any:
    """The price of trusting nobody: local against central error."""
    return program.ask(["local", "compare"], options)
