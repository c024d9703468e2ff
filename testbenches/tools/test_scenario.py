"""Scenarios, generated traffic, the window of measurement, and the answer what bounds a run."""
import json

from common import SOURCE, Case

FORWARD = SOURCE / 'platforms' / 'scenarios' / 'forward.json'


class Scenario(Case):
    def forward(self, *more, size='1518B', rate='100Gb/s', out='run'):
        self.firmware('l3fwd')
        self.dpusim('run', 'bluefield2', '--scenario', FORWARD, '--set', f'scenario.receive.p0.generate.size={size}', '--set',
                    f'p0.rate={rate}', '--set', f'p1.rate={rate}', '--out', out, '--quiet', *more)
        return json.loads((self.dir / out / 'results.json').read_text())

    def test_throughput_follows_the_port_while_nothing_else_bounds_it(self):
        results = self.forward(rate='25Gb/s')
        # IEEE 802.3: 1518 octets of 1538 that a frame takes with preamble and gap; l3fwd changes no length. The window cuts frames at its ends.
        for counter in ('p0.etherStatsOctets', 'p1.ifOutOctets'):
            self.assertAlmostEqual(results['rates'][counter]['per_second'] * 8e-9, 25 * 1518 / 1538, delta=0.05)
        self.assertEqual(results['bottleneck']['resource'], 'p0.rx')
        self.assertTrue(results['bottleneck']['saturated'])
        self.assertEqual(results['window'], {'from_ps': 23_000_000_000, 'to_ps': 25_000_000_000})

    def test_memory_bounds_large_frames(self):
        slow = self.forward('--set', 'ddr.data_rate=1600MT/s', rate='200Gb/s')
        self.assertEqual(slow['bottleneck']['resource'], 'ddr.channel0.data_bus')
        fast = self.forward('--set', 'ddr.data_rate=3200MT/s', rate='200Gb/s', out='fast')
        # Twice the memory's rate, and the same traffic a frame: twice the throughput.
        self.assertAlmostEqual(fast['rates']['p1.ifOutOctets']['per_second'] / slow['rates']['p1.ifOutOctets']['per_second'], 2, delta=0.15)

    def test_cores_bound_small_frames(self):
        one = self.forward('--args', 'cores=1', size='64B')
        self.assertEqual(one['bottleneck']['resource'], 'cpu.core0')
        self.assertIn('dropped', one['bottleneck']['text'])
        four = self.forward('--args', 'cores=4', size='64B', out='four')
        ratio = four['rates']['p1.ifOutOctets']['per_second'] / one['rates']['p1.ifOutOctets']['per_second']
        self.assertGreater(ratio, 3.4)
        self.assertLessEqual(ratio, 4.01)

    def test_an_idle_card_is_not_called_saturated(self):
        results = self.forward('--set', 'scenario.receive.p0.generate.load=0.1')
        self.assertFalse(results['bottleneck']['saturated'])
        self.assertIn('none is saturated', results['bottleneck']['text'])

    def test_functional_runs_give_no_rates(self):
        results = self.forward('--fidelity', 'functional', '--set', 'scenario.receive.p0.generate.load=0.01')
        self.assertEqual(results['fidelity'], 'functional')
        self.assertIsNone(results['bottleneck'])
        self.assertEqual(results['resources'], [])
        self.assertEqual(results['histograms'], {})
        self.assertGreater(results['rates']['p0.etherStatsPkts']['total'], 0)
        self.assertNotIn('per_second', results['rates']['p0.etherStatsPkts'])

    def test_two_runs_are_identical(self):
        arguments = ('--set', 'scenario.receive.p0.generate.duration=3200us', '--set',
                     'scenario.receive.p0.generate.mix=[{"size": "64B", "weight": 7}, {"size": "1518B"}]', '--set',
                     'scenario.receive.p0.generate.arrivals=poisson')
        self.forward(*arguments, out='a')
        self.forward(*arguments, out='b')
        for name in ('results.json', 'stats.json', 'summary.txt', 'effective.json'):
            self.assertEqual((self.dir / 'a' / name).read_bytes(), (self.dir / 'b' / name).read_bytes(), name)
        self.forward(*arguments, '--seed', '2', out='c')
        self.assertNotEqual((self.dir / 'a' / 'results.json').read_bytes(), (self.dir / 'c' / 'results.json').read_bytes())

    def test_mistakes_run_nothing(self):
        (self.dir / 's.json').write_text('{"receive": {"p0": {"generate": {"sise": "64B"}}}}')
        _, error = self.dpusim('run', 'bluefield2', '--scenario', 's.json', code=2)
        self.assertIn('scenario.receive.p0.generate', error)
        self.assertIn('size', error)
        _, error = self.dpusim('run', 'bluefield2', '--set', 'scenario.receive.p7.generate.size=64B', code=2)
        self.assertIn('scenario.receive.p7', error)
        _, error = self.dpusim('run', 'bluefield2', '--set', 'scenario.programs.nic=[{"type": "receive"}]', code=2)
        self.assertIn('scenario.programs.nic', error)
        _, error = self.dpusim('run', 'nic', '--window-of', 'dma.jobz', code=2)
        self.assertIn('dma.jobs', error)
        _, error = self.dpusim('run', 'bluefield2', '--scenario', 'none.json', code=2)
        self.assertIn('none.json', error)
        self.assertEqual([path.name for path in self.dir.iterdir()], ['s.json'])


if __name__ == '__main__':
    import unittest
    unittest.main()
