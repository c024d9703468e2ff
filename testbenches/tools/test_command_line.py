"""What a user can get wrong, and what an interrupted run leaves."""
import json
import os
import signal
import subprocess
import time
import unittest

from common import DPUSIM, TRACES, Case
import captures


class WrongUse(Case):
    def refused(self, *arguments, says):
        """Expects exit code 2, one message with all of `says`, and no run directory."""
        _, error = self.dpusim('run', *arguments, code=2)
        for text in says:
            self.assertIn(text, error)
        self.assertEqual(len(error.strip().splitlines()), 1, error)
        self.assertFalse((self.dir / 'run-bluefield2').exists())

    def test_unknown_platform(self):
        self.refused('bluefeld2', says=['bluefeld2', 'bluefield2'])

    def test_unknown_key(self):
        self.refused('bluefield2', '--set', 'p0.rat=25Gb/s', says=['blocks.p0', 'rat', '"rate"'])

    def test_unknown_block(self):
        self.refused('bluefield2', '--set', 'p9.rate=25Gb/s', says=['p9', 'p0'])

    def test_wrong_unit(self):
        self.refused('bluefield2', '--set', 'p0.rate=25GiB', says=['blocks.p0.rate', '25GiB', 'Gb/s'])

    def test_out_of_range(self):
        self.refused('bluefield2', '--set', 'cpu.cores=0', says=['blocks.cpu.cores', '0'])

    def test_wrong_type(self):
        self.refused('bluefield2', '--set', 'ddr.channels=true', says=['blocks.ddr.channels', 'true'])

    def test_overlap(self):
        self.refused('bluefield2', '--set', 'uart0.at=0x0800_8000', says=['uart0', 'gic.distributor'])

    def test_missing_files(self):
        self.refused('bluefield2', '--firmware', 'none.elf', says=['none.elf', 'no such file'])
        self.refused('bluefield2', '--rx', 'p0=none.pcap', says=['none.pcap'])

    def test_unknown_port(self):
        self.refused('bluefield2', '--rx', f'p7={TRACES}/ping.p0.pcap', says=['p7', 'p0'])

    def test_option_texts(self):
        self.refused('bluefield2', '--rx', 'p0', says=['--rx', 'PORT=FILE'])
        self.refused('bluefield2', '--speed', 'fast', says=['--speed', 'fast', 'line-rate'])
        self.refused('bluefield2', '--until', '10', says=['--until', '10'])
        self.refused('bluefield2', '--fidelity', 'exact', says=['--fidelity', 'exact', 'approximate'])

    def test_no_elf(self):
        (self.dir / 'text.elf').write_text('no program')
        self.refused('bluefield2', '--firmware', 'text.elf', says=['text.elf', 'ELF'])

    def test_raw_image_outside_memory(self):
        (self.dir / 'raw.bin').write_bytes(bytes(64))
        self.refused('bluefield2', '--firmware', 'raw.bin@0x2000_0000', says=['0x20000000', 'ddr'])

    def test_syntax_error_names_line_and_column(self):
        (self.dir / 'bad.json').write_text('{\n  "blocks": {\n    "a" 1\n}}\n')
        self.refused('bad.json', says=['bad.json:3:'])

    def test_foreign_directory_is_left_alone(self):
        (self.dir / 'mine').mkdir()
        (self.dir / 'mine' / 'thesis.tex').write_text('precious')
        self.dpusim('run', 'bluefield2', '--out', 'mine', '--until', '1us', code=2)
        self.assertEqual((self.dir / 'mine' / 'thesis.tex').read_text(), 'precious')

    def test_outputs_do_not_destroy_inputs(self):
        captures.write(self.dir / 'in.pcap', [(0, captures.udp_frame(64))])
        before = (self.dir / 'in.pcap').read_bytes()
        self.refused('bluefield2', '--rx', 'p0=in.pcap', '--tx', 'p1=./in.pcap', says=['--tx p1', '--rx p0'])
        self.refused('bluefield2', '--tx', 'p0=out.pcapng', '--tx', 'p1=out.pcapng', says=['--tx', 'out.pcapng'])
        self.assertEqual((self.dir / 'in.pcap').read_bytes(), before)

    def test_refused_run_leaves_recorded_captures(self):
        (self.dir / 'out.pcapng').write_text('an earlier capture')
        self.refused('bluefield2', '--tx', 'p1=out.pcapng', '--tx', 'p7=other.pcapng', says=['p7'])
        self.assertEqual((self.dir / 'out.pcapng').read_text(), 'an earlier capture')

    def test_whole_numbers(self):
        for option in ('--loop', '--seed', '--max-instructions'):
            for text in ('-1', '99999999999999999999', 'x', '1.5'):
                self.refused('bluefield2', option, text, says=[option, text])

    def test_log_levels_are_for_instances_that_exist(self):
        self.refused('bluefield2', '--log', 'nick=debug', says=['--log nick=debug', 'no instance "nick"', 'nic'])
        self.dpusim('run', 'bluefield2', '--log', 'nic=debug', '--log', 'run=info', '--log', 'error', '--quiet')

    def test_orphaned_results_come_back(self):
        """A run killed before it kept its directory leaves the earlier one aside."""
        self.dpusim('run', 'bluefield2', '--out', 'run')
        (self.dir / 'run').rename(self.dir / '.run.earlier')
        (self.dir / 'run').mkdir()
        (self.dir / 'run' / 'log.txt').write_text('')
        self.dpusim('run', 'bluefield2', '--out', 'run', '--set', 'cpu.cores=0', code=2)
        self.stats('run')

    def test_earlier_results_survive_a_refused_run(self):
        self.dpusim('run', 'bluefield2', '--out', 'run')
        before = (self.dir / 'run' / 'stats.json').read_bytes()
        self.dpusim('run', 'bluefield2', '--out', 'run', '--set', 'cpu.cores=0', code=2)
        self.assertEqual((self.dir / 'run' / 'stats.json').read_bytes(), before)


class Runs(Case):
    @unittest.skipIf(os.environ.get('DPUSIM_SANITIZE'), 'AddressSanitizer misreads an exception after QuickThreads has switched stacks')
    def test_full_disk_keeps_the_results(self):
        captures.write(self.dir / 'in.pcap', [(0, captures.udp_frame(64))])
        _, error = self.dpusim('run', 'bluefield2', '--rx', 'p0=in.pcap', '--tx', 'p0=/dev/full', '--out', 'run', code=1)
        self.assertIn('/dev/full', error)
        self.assertEqual(self.value('run', 'p0', 'etherStatsPkts'), 1)

    def test_firmware_that_does_not_finish(self):
        """Sources ended, and the image knows nothing of the shutdown request: 3, not success."""
        self.write_image('wait.bin', 0xd503207f, 0x17ffffff)  # wfi; b .-4
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', 'wait.bin@0x4010_0000', '--out', 'run', code=3)
        self.assertIn('all cores wait for ever', out)
        self.write_image('spin.bin', 0x14000000)  # b .
        captures.write(self.dir / 'in.pcap', [(0, captures.udp_frame(64))])
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', 'spin.bin@0x4010_0000', '--rx', 'p0=in.pcap', '--start', '0ns', '--grace',
                             '1ms', '--out', 'run', code=3)
        self.assertIn('--grace', out)

    def test_limits_hold_when_a_vector_faults_on_itself(self):
        self.write_image('udf.bin', 0)  # UDF at EL2, VBAR_EL2 0: zeros there as well
        self.dpusim('run', 'bluefield2', '--firmware', 'udf.bin@0x4010_0000', '--until', '100us', '--out', 'run', code=3, timeout=60)

    def test_instruction_limit(self):
        self.write_image('spin.bin', 0x14000000)
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', 'spin.bin@0x4010_0000', '--max-instructions', '100_000', '--out', 'run', code=3)
        self.assertIn('--max-instructions', out)
        self.assertGreaterEqual(self.value('run', 'cpu.core0', 'instructions'), 100_000)

    def test_firmware_reads_a_given_file(self):
        table = self.dir / 'mine.conf'
        table.write_text('route 0.0.0.0/0 p1\n')
        captures.write(self.dir / 'in.pcap', [(0, captures.udp_frame(64))])
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', self.firmware('l3fwd'), '--rx', 'p0=in.pcap', '--args', 'config=none.conf',
                             '--out', 'run', code=1)
        self.assertIn('none.conf', out)
        table.write_text('rout\n')
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', self.firmware('l3fwd'), '--rx', 'p0=in.pcap', '--args', 'config=mine.conf',
                             '--file', 'mine.conf', '--out', 'run', code=1)
        self.assertIn('line 1', out)
        effective = json.loads((self.dir / 'run' / 'effective.json').read_text())
        self.assertEqual(len(effective['run']['sha256']['mine.conf']), 64)

    def test_limit(self):
        self.dpusim('run', 'bluefield2', '--firmware', self.firmware('hello'), '--until', '5us', '--interval', '1us', '--out', 'run', code=3)
        self.assertEqual(self.stats('run')['time_ps'], 5_000_000)
        rows = (self.dir / 'run' / 'intervals.csv').read_text().splitlines()
        self.assertEqual([row.split(',')[0] for row in rows], ['time_ps', '1000000', '2000000', '3000000', '4000000', '5000000'])

    def test_effective_configuration_runs_again(self):
        hello = self.firmware('hello')
        self.dpusim('run', 'bluefield2', '--firmware', hello, '--set', 'p0.rate=25Gb/s', '--until', '1us', '--out', 'a', code=3)
        effective = json.loads((self.dir / 'a' / 'effective.json').read_text())
        self.assertEqual(effective['blocks']['p0']['rate'], {'value': '25Gb/s', 'source': '--set'})
        self.dpusim('run', 'a/effective.json', '--firmware', hello, '--until', '1us', '--out', 'b', code=3)
        again = json.loads((self.dir / 'b' / 'effective.json').read_text())
        self.assertEqual(again['blocks'], effective['blocks'])
        self.assertEqual(self.stats('a')['stats'], self.stats('b')['stats'])

    def test_interrupt_writes_results(self):
        frame = captures.udp_frame(64)
        captures.write(self.dir / 'in.pcap', [(0, frame)])
        process = subprocess.Popen([str(DPUSIM), 'run', 'bluefield2', '--firmware', self.firmware('l3fwd'), '--rx', 'p0=in.pcap',
                                    '--loop', '0', '--until', '1000s', '--speed', 'line-rate', '--tx', 'p1=out.pcapng', '--out', 'run'],
                                   cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, error)
        self.assertIn('interrupted', out)
        self.assertGreater(self.value('run', 'p0', 'etherStatsPkts'), 0)
        captures.read(self.dir / 'out.pcapng')

    def test_line_rate_is_honest(self):
        """64-octet frames: 148.8 M/s; 1518-octet: 8.127 M/s (IEEE 802.3: 20 octets of preamble, SFD and gap a frame)."""
        for size, rate in ((64, 100e9 / 8 / 84), (1518, 100e9 / 8 / 1538)):
            captures.write(self.dir / 'in.pcap', [(0, captures.udp_frame(size, number=n)) for n in range(100)])
            self.dpusim('run', 'bluefield2', '--rx', 'p0=in.pcap', '--speed', 'line-rate', '--loop', '10', '--start', '0ns', '--out', 'run')
            frames = self.value('run', 'p0', 'etherStatsPkts')
            self.assertEqual(frames, 1000)
            first, last = (self.value('run', 'wire_p0.source', name) for name in ('first_bit', 'last_bit'))
            # From the first bit of the first frame to the last bit of the last one there is one gap less than frames.
            seconds = (last - first) * 1e-12 + 12 * 8 / 100e9
            self.assertAlmostEqual(frames / seconds / rate, 1, places=4)

    def test_describe_and_schema(self):
        text, _ = self.dpusim('describe', 'bluefield2')
        self.assertIn('0x0000000040000000', text)
        dot, _ = self.dpusim('describe', 'bluefield2', '--format', 'graphviz')
        self.assertTrue(dot.startswith('digraph'))
        self.dpusim('describe', 'bluefield2', '--format', 'mermaid')
        described, _ = self.dpusim('describe', 'bluefield2', '--format', 'json')
        schema = json.loads(self.dpusim('schema')[0])
        self.assertEqual(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
        types = {variant['properties']['type']['const'] for variant in
                 schema['properties']['blocks']['additionalProperties']['oneOf']}
        self.assertLessEqual({block['type'] for block in json.loads(described)['blocks'].values()}, types)


if __name__ == '__main__':
    unittest.main()
