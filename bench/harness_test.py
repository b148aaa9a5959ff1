"""--smallest finds a benchmark that crashes, and says so by its status: bench/account.py with planted programs as `bench`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BENCH = pathlib.Path(os.environ.get("DISCREET_BIN", HERE.parent / "build/bin")) / "bench"


def smallest(script):
    """The status and the words of account.py when `script` is the program."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "bench"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", HERE / "account.py", "--smallest"], capture_output=True, text=True,
                              env={**os.environ, "DISCREET_BIN": folder})
        return done.returncode, done.stdout + done.stderr


class Smallest(unittest.TestCase):
    def test_what_works_is_fine(self):
        status, words = smallest(f'exec {BENCH} "$@"')
        self.assertEqual(status, 0, words)
        self.assertIn("left out: dp-accounting, prv-accountant, autodp", words)

    def test_a_crash_after_all_was_printed_is_found(self):
        status, words = smallest(f'{BENCH} "$@"; kill -SEGV $$')
        self.assertEqual(status, 1, words)
        self.assertIn("failed with status -11", words)

    def test_a_number_that_is_none_is_found(self):
        status, words = smallest(f"{BENCH} \"$@\" | sed 's/\"cpu_time\": [^,]*/\"cpu_time\": NaN/'")
        self.assertEqual(status, 1, words)
        self.assertIn("WRONG", words)

    def test_work_that_is_missing_is_found(self):
        status, words = smallest(f"{BENCH} \"$@\" | sed 's/\"filter charge\"/\"something else\"/'")
        self.assertNotEqual(status, 0, words)


if __name__ == "__main__":
    unittest.main()
