"""The program `discreet`: where it is, and how its commands are run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
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


def main() -> None:
    """The command `discreet` of the wheel."""
    os.execv(find(), ["discreet", *sys.argv[1:]])


def options(given: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as the command line's options: max_groups=3 is --max-groups 3.

    >>> options({"delta": "1e-6", "json": True, "count": None, "gaussian": ["1x2", "3"]})
    ['--delta=1e-6', '--json', '--gaussian=1x2', '--gaussian=3']
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
            words.append(f"{option}={exact(each)}")
    return words


def exact(value: Any) -> str:
    """A number as the program reads it: no digit is lost.

    >>> exact(0.1), exact("1/3"), exact(10**6), exact(1e-08)
    ('0.1', '1/3', '1000000', '1e-08')
    """
    if isinstance(value, bool) or value is None:
        raise errors.InvalidInput(f"a number or a text is needed; got {value!r}")
    text = repr(float(value)) if isinstance(value, float) else str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise errors.InvalidInput("a text must be Unicode, without halves of a surrogate pair") from None
    return text


def run_bytes(command: Sequence[str], given: Mapping[str, Any], *, files: Sequence[str] = (), input: bytes = b"") -> bytes:
    """Runs a command and gives what it prints; raises what it says on failure."""
    words = [*command, *map(exact, files), *options(given)]
    if any("\0" in word for word in words):
        raise errors.InvalidInput("a text must not hold a NUL")
    done = subprocess.run([find(), *words], input=input, capture_output=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace")
        raise errors.from_status(done.returncode, said.strip().removeprefix("discreet: "))
    return done.stdout


def run(command: Sequence[str], given: Mapping[str, Any], *, files: Sequence[str] = (), text: str = "") -> str:
    """The same with text."""
    return run_bytes(command, given, files=files, input=text.encode()).decode("utf-8", "replace")


def ask(command: Sequence[str], given: Mapping[str, Any], *, files: Sequence[str] = (), text: str = "") -> Any:
    """Runs a command with --json and gives what it says as Python values; several lines come as a list."""
    printed = run(command, {**given, "json": True}, files=files, text=text).strip()
    try:
        return json.loads(printed)
    except json.JSONDecodeError:
        return [json.loads(line) for line in printed.splitlines()]
