"""Sweeps as users run them."""
import csv
import json
import os
import re
import signal
import subprocess
import time
import unittest

from common import DPUSIM, SOURCE, Case

SCENARIO = {'receive': {'p0': {'generate': {'size': '64B', 'frames': 2000, 'load': 0.5}}}, 'start': '0ns', 'warmup': '1us'}
RECEIVED = {'name': 'Received', 'unit': 'Gb/s', 'rate': 'p0.etherStatsOctets', 'scale': 8e-9}


class Sweep(Case):
    def write(self, name='sweep.json', scenario=SCENARIO, **keys):
        """Writes a sweep of p0's speed and of the frame size, without firmware: the card drops what comes."""
        sweep = {'platform': 'bluefield2', 'scenario': 'scenario.json', 'set': {'cpu.cores': 1},
                 'axes': [{'name': 'Port speed', 'path': 'p0.rate', 'values': ['25Gb/s', '100Gb/s']},
                          {'name': 'Frame size', 'path': 'scenario.receive.p0.generate.size', 'values': ['64B', '1518B']}],
                 'measures': [RECEIVED]}
        sweep.update(keys)
        (self.dir / 'scenario.json').write_text(json.dumps(scenario))
        (self.dir / name).write_text(json.dumps(sweep))
        return name

    def results(self, out):
        return {name: (self.dir / out / name).read_bytes() for name in ('results.csv', 'results.json', 'index.html')}

    def rows(self, out):
        with open(self.dir / out / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def test_measures_what_was_offered(self):
        self.dpusim('sweep', self.write(), '--out', 'out', '-j', '2')
        rows = self.rows('out')
        self.assertEqual([(row['Port speed'], row['Frame size'], row['status']) for row in rows],
                         [(speed, size, 'done') for speed in ('25Gb/s', '100Gb/s') for size in ('64B', '1518B')])
        for row in rows:
            # Half of the wire's time, of which 20 octets a frame are preamble, SFD and gap (IEEE 802.3).
            speed, size = float(row['Port speed'][:-4]), float(row['Frame size'][:-1])
            self.assertAlmostEqual(float(row['Received (Gb/s)']) / (speed / 2 * size / (size + 20)), 1, delta=0.02, msg=row)

    def test_same_bytes_whatever_the_number_of_processes(self):
        sweep = self.write()
        self.dpusim('sweep', sweep, '--out', 'one', '-j', '1')
        self.dpusim('sweep', sweep, '--out', 'four', '-j', '4')
        self.assertEqual(self.results('one'), self.results('four'))
        for text in self.results('one').values():
            self.assertNotIn(os.fsencode(self.dir), text)

    def test_killed_and_resumed_gives_the_same_bytes(self):
        scenario = {'receive': {'p0': {'generate': {'size': '64B', 'frames': 30000, 'load': 0.5}}}, 'start': '0ns', 'warmup': '1us'}
        sweep = self.write(scenario=scenario, axes=[{'name': 'Load', 'path': 'scenario.receive.p0.generate.load',
                                                     'range': {'from': 0.1, 'to': 0.8, 'step': 0.1}}])
        process = subprocess.Popen([str(DPUSIM), 'sweep', sweep, '--out', 'out', '-j', '2', '--quiet'], cwd=self.dir)
        deadline = time.monotonic() + 200
        while len(list((self.dir / 'out').glob('points/*/point.json'))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertLess(len(list((self.dir / 'out').glob('points/*/point.json'))), 8)
        _, error = self.dpusim('sweep', sweep, '--out', 'out', code=2)
        self.assertIn('--resume', error)
        _, error = self.dpusim('sweep', sweep, '--out', 'out', '--resume')
        self.assertIn('of 8 points are done already', error)
        self.dpusim('sweep', sweep, '--out', 'fresh')
        self.assertEqual(self.results('out'), self.results('fresh'))

    def test_resume_sees_a_changed_scenario(self):
        sweep = self.write()
        self.dpusim('sweep', sweep, '--out', 'out')
        _, error = self.dpusim('sweep', sweep, '--out', 'out', '--resume')
        self.assertIn('4 of 4 points are done already', error)
        changed = json.loads(json.dumps(SCENARIO))
        changed['receive']['p0']['generate']['load'] = 0.25
        self.write(scenario=changed)
        before = self.results('out')
        _, error = self.dpusim('sweep', sweep, '--out', 'out', '--resume')
        self.assertNotIn('done already', error)
        self.assertNotEqual(self.results('out'), before)

    def test_wrong_values_are_told_before_anything_runs(self):
        for axes, found in (([{'name': 'A', 'path': 'p0.rat', 'values': ['25Gb/s']}], '"rate"'),
                            ([{'name': 'A', 'path': 'p9.rate', 'values': ['25Gb/s']}], 'p9'),
                            ([{'name': 'A', 'path': 'p0.rate', 'values': ['25Gb/s', '25Gbb/s']}], 'A 25Gbb/s: '),
                            ([{'name': 'A', 'path': 'scenario.receive.p0.generate.sise', 'values': [1]}], '"size"')):
            _, error = self.dpusim('sweep', self.write(axes=axes), '--out', 'out', code=2)
            self.assertIn(found, error)
            self.assertFalse((self.dir / 'out').exists())

    def test_failed_points_are_told_and_the_others_run(self):
        out, error = self.dpusim('sweep', self.write(axes=[
            {'name': 'Measure', 'values': [{'label': 'none', 'set': {'scenario.warmup': '50ms', 'scenario.until': '1ms'}},
                                           {'label': 'some', 'set': {'scenario.warmup': '1us'}}]}]), '--out', 'out', code=1)
        self.assertIn('1 done, 1 failed', out)
        self.assertIn('point 1 failed (Measure none): ', error)
        rows = self.rows('out')
        self.assertEqual([row['status'] for row in rows], ['failed', 'done'])
        self.assertIn('before its measuring window began', rows[0]['reason'])

    def test_a_limit_is_a_normal_end(self):
        for keys in ({'run': {'until': '20us'}}, {'set': {'cpu.cores': 1, 'scenario.until': '20us'}}):
            self.dpusim('sweep', self.write(**keys), '--out', 'out')
            self.assertEqual({row['status'] for row in self.rows('out')}, {'done'})

    def test_functional_sweeps_have_no_rates(self):
        _, error = self.dpusim('sweep', self.write(run={'fidelity': 'functional'}), '--out', 'out', code=2)
        self.assertIn('functional runs measure no time', error)
        self.dpusim('sweep', self.write(run={'fidelity': 'functional'}, measures=[{'name': 'Frames', 'total': 'p0.etherStatsPkts'}]), '--out', 'out')
        self.assertEqual({row['bottleneck'] for row in self.rows('out')}, {''})

    def test_a_directory_with_other_files_is_refused(self):
        (self.dir / 'mine').mkdir()
        (self.dir / 'mine' / 'file').write_text('mine')
        _, error = self.dpusim('sweep', self.write(), '--out', 'mine', code=2)
        self.assertIn('other files', error)
        self.assertEqual(os.listdir(self.dir / 'mine'), ['file'])

    def test_recording_is_refused(self):
        _, error = self.dpusim('sweep', self.write(scenario={**SCENARIO, 'transmit': {'p1': 'out.pcapng'}}), '--out', 'out', code=2)
        self.assertIn('every point would write', error)

    def test_sweeps_that_come_with_dpusim_run(self):
        self.firmware('l3fwd')
        files = sorted((SOURCE / 'platforms' / 'sweeps').glob('*.json'))
        self.assertGreaterEqual(len(files), 5)
        for file in files:
            self.dpusim('sweep', file, '--points', '1-2', '--out', file.stem, '--quiet')
            rows = self.rows(file.stem)
            self.assertEqual([row['status'] for row in rows][:2], ['done', 'done'], file.name)
            for name, value in rows[0].items():
                self.assertNotEqual(value, '', f'{file.name}: {name}') if name != 'reason' else None

    def test_list_and_points(self):
        sweep = self.write()
        out, _ = self.dpusim('sweep', sweep, '--list')
        self.assertEqual(re.findall(r'^\d+', out, re.M), ['0001', '0002', '0003', '0004'])
        self.assertIn("--set 'p0.rate=100Gb/s'", out)
        self.assertFalse((self.dir / 'sweep-sweep').exists())
        self.dpusim('sweep', sweep, '--points', '2,4')
        self.assertEqual([row['status'] for row in self.rows('sweep-sweep')], ['not run', 'done', 'not run', 'done'])
        self.assertIn('--points', self.dpusim('sweep', sweep, '--points', '5', code=2)[1])


if __name__ == '__main__':
    unittest.main()
