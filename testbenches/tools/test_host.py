"""A server and its card from the command line: the scenarios that come with dpusim."""
import json

from common import SOURCE, Case

SCENARIOS = SOURCE / 'platforms' / 'scenarios'


class Host(Case):
    def scenario(self, name, *more, platform='nic', out='run'):
        self.dpusim('run', platform, '--scenario', SCENARIOS / f'{name}.json', '--out', out, '--quiet', *more)
        return json.loads((self.dir / out / 'results.json').read_text())

    def test_the_server_receives_what_was_offered(self):
        self.scenario('host_receive')
        self.assertEqual(self.value('run', 'host.rx', 'frames'), 100_000)
        self.assertEqual(self.value('run', 'host.rx', 'octets'), 100_000 * 1514)  # without FCS
        self.assertEqual(self.value('run', 'nic', 'rx_held')['value'], 0)

    def test_a_slow_server_is_named_as_the_bottleneck(self):
        results = self.scenario('host_receive', '--set', 'scenario.receive.p0.generate.size=64B', '--set',
                                'scenario.programs.host[0].threads=1', '--set', 'scenario.programs.host[0].count=0')
        self.assertEqual(results['bottleneck']['resource'], 'host.rx.thread0')
        self.assertTrue(results['bottleneck']['saturated'])

    def test_dma_bandwidth_is_the_arithmetic_of_headers(self):
        """pcie-bench: 24 octets about a write of at most MPS, 20 about a completion; Gen3 x8 moves 63.02 Gb/s."""
        raw = 8 * 8 * 128 / 130
        for direction, header, counter in (('to_host', 24, 'octets_to_host'), ('to_card', 20, 'octets_to_card')):
            results = self.scenario('host_dma', '--set', 'pcie_link.generation=3', '--set', 'pcie_link.lanes=8', '--set',
                                    'pcie_link.dllp_overhead=0', '--set', f'scenario.programs.host[0].direction={direction}', '--set', 'scenario.programs.host[0].name=dma',
                                    '--set', 'scenario.programs.host[0].depth=256', out=direction)
            measured = results['rates'][f'host.dma.{counter}']['per_second'] * 8e-9
            # A job also moves its descriptor (64 octets), or its completion (32) and the doorbell's answer, in the same direction.
            job = 64 + header if direction == 'to_card' else 32 + header
            expected = raw * 4096 / (16 * (256 + header) + job)
            self.assertAlmostEqual(measured / expected, 1, delta=0.01, msg=direction)

    def test_ping_pong_over_a_cable_takes_both_ways(self):
        short = self.scenario('host_ping_pong', '--set', 'scenario.programs.host[0].count=100')
        long = self.scenario('host_ping_pong', '--set', 'scenario.programs.host[0].count=100', '--set', 'scenario.cable_delay=500ns', out='long')
        trip = [results['histograms']['host.ping.round_trip']['min'] for results in (short, long)]
        # The cable is passed twice; a histogram keeps 7 bits.
        self.assertAlmostEqual(trip[1] - trip[0], 2 * 500_000, delta=trip[1] / 128)

    def test_a_run_whose_work_failed_is_a_failure(self):
        """No memory is at the card's address of the DMA jobs; nobody answers a ping."""
        for name, change, says in (('host_dma', 'programs.host[0].card_buffer=0x70000000', 'failed'), ('host_ping_pong', 'cables=[]', '')):
            _, error = self.dpusim('run', 'nic', '--scenario', SCENARIOS / f'{name}.json', '--set', 'scenario.' + change, '--set',
                                   'scenario.programs.host[0].count=20', '--quiet', code=1)
            self.assertIn(says, error)

    def test_a_mistake_that_only_programs_see_keeps_an_earlier_run(self):
        self.scenario('host_dma')
        before = sorted(path.name for path in (self.dir / 'run').iterdir())
        self.dpusim('run', 'nic', '--scenario', SCENARIOS / 'host_dma.json', '--set', 'scenario.programs.host[0].queue=15', '--set',
                    'dma.queues=2', '--out', 'run', code=2)
        self.assertEqual(sorted(path.name for path in (self.dir / 'run').iterdir()), before)
        self.value('run', 'host.bw_rd', 'jobs')

    def test_slow_programs_are_waited_for(self):
        self.scenario('host_receive', '--set', 'scenario.receive.p0.generate.frames=500', '--set', 'scenario.programs.host[0].count=0', '--set',
                      'scenario.programs.host[0].threads=1', '--set', 'scenario.programs.host[0].frame_cycles=30000')
        self.assertEqual(self.value('run', 'host.rx', 'frames'), 500)

    def test_two_runs_are_identical(self):
        for name in ('host_receive', 'host_dma', 'host_ping_pong'):
            for out in ('a', 'b'):
                self.scenario(name, out=out)
            for file in ('results.json', 'stats.json', 'summary.txt', 'effective.json'):
                self.assertEqual((self.dir / 'a' / file).read_bytes(), (self.dir / 'b' / file).read_bytes(), f'{name}: {file}')

    def test_the_server_reaches_engines_of_the_card(self):
        """Of a card whose cores are off: jobs of its DMA accelerator between its own memory and the server's."""
        self.scenario('host_dma', '--set', 'scenario.programs.host[0].device.offset=0x1030000', '--set',
                                'scenario.programs.host[0].card_buffer=0x50000000', platform='bluefield2')
        self.assertEqual(self.value('run', 'host.bw_rd', 'jobs'), 20_000)
        self.assertEqual(self.value('run', 'host.bw_rd', 'octets_to_card'), 20_000 * 4096)

    def test_mistakes_name_their_place(self):
        for change, says in (('programs.host[0].type="recieve"', 'receive'), ('programs.host[0].port=7', 'scenario.programs.host[0]'),
                             ('programs.host[0].threads=99', 'scenario.programs.host[0]'), ('programs.host[0].cont=1', 'count')):
            _, error = self.dpusim('run', 'nic', '--scenario', SCENARIOS / 'host_receive.json', '--set', 'scenario.' + change, code=2)
            self.assertIn(says, error, change)


if __name__ == '__main__':
    import unittest
    unittest.main()
