"""The program `discreet`: where it is, and how it is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Mapping, Sequence

from . import errors


def find() -> str:
    """$DISCREET_PROGRAM, else the one inside this package, else the one on the PATH."""
    named = os.environ.get("DISCREET_PROGRAM")
    inside = Path(__file__).with_name("bin") / "discreet"
    found = named or (str(inside) if inside.exists() else shutil.which("discreet"))
    if not found:
        raise errors.NotFound("the program discreet is not on the PATH; name it in DISCREET_PROGRAM")
    return found


def options(given: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as the command line's options: max_groups=3 is --max-groups 3.

    >>> options({"delta": "1e-6", "json": True, "count": None, "gaussian": ["1x2", "3"]})
    ['--delta', '1e-6', '--json', '--gaussian', '1x2', '--gaussian', '3']
    """
    words: list[str] = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [option, exact(each)]
    return words


def exact(value: Any) -> str:
    """A number as the program reads it: no digit is lost.

    >>> exact(0.1), exact("1/3"), exact(10**6), exact(1e-08)
    ('0.1', '1/3', '1000000', '1e-08')
    """
    if isinstance(value, bool) or value is None:
        raise errors.InvalidInput(f"a number or a text is needed; got {value!r}")
    return repr(value) if isinstance(value, float) else str(value)


def run(command: Sequence[str], given: Mapping[str, Any], *, files: Sequence[str] = (), text: str | None = None) -> str:
    """Runs a command and gives what it prints; raises what it says on failure."""
    words = [find(), *command, *files, *options(given)]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise errors.from_status(done.returncode, done.stderr.strip().removeprefix("discreet: "))
    return done.stdout


def ask(command: Sequence[str], given: Mapping[str, Any], *, files: Sequence[str] = (), text: str | None = None) -> Any:
    """Runs a command with --json and gives what it says as Python values; numbers of a list come as a list."""
    printed = run(command, {**given, "json": True}, files=files, text=text).strip()
    try:
        return json.loads(printed)
    except json.JSONDecodeError:
        return [json.loads(line) for line in printed.splitlines()]
