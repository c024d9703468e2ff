"""What the command-line tests share: where things are, running dpusim, reading its results."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ['DPUSIM_SOURCE_DIR'])
BUILD = pathlib.Path(os.environ['DPUSIM_BINARY_DIR'])
DPUSIM = BUILD / 'bin' / 'dpusim'
FIRMWARE = BUILD / 'firmware'
TRACES = SOURCE / 'traces'
sys.path.insert(0, str(SOURCE / 'testbenches' / 'kit'))


class Case(unittest.TestCase):
    """A test in an empty folder of its own."""
    maxDiff = 2000

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='dpusim-test-'))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def firmware(self, name):
        file = FIRMWARE / (name + '.elf')
        if not file.exists():
            (self.fail if 'CI' in os.environ else self.skipTest)(f'{file} was not built: no aarch64 cross compiler')
        return str(file)

    def write_image(self, name, *words):
        """Writes a raw image of A64 instruction words."""
        (self.dir / name).write_bytes(b''.join(word.to_bytes(4, 'little') for word in words))

    def dpusim(self, *arguments, code=0, timeout=280):
        """Runs dpusim in the test's folder, expects an exit code, and returns standard output and error."""
        done = subprocess.run([str(DPUSIM), *map(str, arguments)], cwd=self.dir, capture_output=True, text=True, timeout=timeout)
        self.assertEqual(done.returncode, code, f'{arguments}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}')
        return done.stdout, done.stderr

    def stats(self, run):
        return json.loads((self.dir / run / 'stats.json').read_text())

    def value(self, run, group, name):
        """Returns a statistic's value; `group` is a dotted path."""
        node = self.stats(run)['stats']
        for step in group.split('.'):
            node = node[step]
        return node[name]['value']
