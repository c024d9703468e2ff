"""The main job against what a Linux router did with the same frames (traces/README.md)."""
import os
import shutil
import subprocess
import unittest

from common import TRACES, Case
import captures

SCENARIOS = ['ping', 'dns', 'http', 'tcp', 'udp', 'loss', 'vlan', 'jumbo', 'ipv6', 'denied', 'mixed']


def padded(octets):
    """As a station sends it: at least 60 octets before the FCS."""
    return octets + bytes(max(0, 60 - len(octets)))


def transport(octets):
    """What a router leaves as it is: all behind TTL and checksum of IPv4, behind the hop limit of IPv6."""
    header = 18 if octets[12:14] == b'\x81\x00' else 14
    return octets[header + (12 if octets[header] >> 4 == 4 else 8):]


class MainJob(Case):
    def run_scenario(self, name, *more, out='run', platform='bluefield2'):
        return self.dpusim('run', platform, '--firmware', self.firmware('l3fwd'), '--rx', f'p0={TRACES / name}.p0.pcap',
                           '--rx', f'p1={TRACES / name}.p1.pcap', '--tx', 'p0=p0.pcapng', '--tx', 'p1=p1.pcapng',
                           '--out', out, *more)

    def check_against_linux(self, name):
        """The same frames as Linux sent, to the octet. Linux, on several CPUs, at times swaps neighbours; one core here keeps the order in
        which the frames came."""
        for port, other in (('p0', 'p1'), ('p1', 'p0')):
            ours = [octets for _, octets in captures.read(self.dir / f'{port}.pcapng')]
            linux = [padded(octets) for _, octets in captures.read(TRACES / f'{name}.{port}.out.pcap')]
            self.assertEqual(sorted(octets.hex() for octets in ours), sorted(octets.hex() for octets in linux), f'{name}: out of {port}')
            came = iter([transport(padded(octets)) for _, octets in captures.read(TRACES / f'{name}.{other}.pcap')])
            for number, octets in enumerate(ours, 1):
                self.assertIn(transport(octets), came, f'{name}: frame {number} out of {port} is out of order')

    def test_two_runs_are_identical(self):
        self.run_scenario('mixed', out='a')
        first = {f: (self.dir / f).read_bytes() for f in ('a/stats.json', 'a/stats.csv', 'p0.pcapng', 'p1.pcapng')}
        self.run_scenario('mixed', out='b')
        second = {f: (self.dir / f.replace('a/', 'b/')).read_bytes() for f in first}
        self.assertEqual(first, second)

    def test_functional_fidelity_gives_the_same_frames(self):
        out, _ = self.run_scenario('http', '--fidelity', 'functional')
        self.check_against_linux('http')
        self.assertIn('no measurements', out)
        self.assertNotIn('p99', out)

    def test_four_cores_send_what_linux_sent(self):
        """Flows are spread over cores by RSS, so only the set of frames is Linux's; each core keeps its flows in order."""
        for name in ('tcp', 'denied', 'mixed'):
            self.run_scenario(name, '--args', 'cores=4')
            for port in ('p0', 'p1'):
                ours = sorted(octets.hex() for _, octets in captures.read(self.dir / f'{port}.pcapng'))
                linux = sorted(padded(octets).hex() for _, octets in captures.read(TRACES / f'{name}.{port}.out.pcap'))
                self.assertEqual(ours, linux, f'{name}: out of {port}')
        busy = [core for core in range(4) if self.value('run', f'cpu.core{core}', 'instructions') > 10_000]
        self.assertGreater(len(busy), 1)

    def test_sixteen_cores_of_the_larger_card_send_what_linux_sent(self):
        self.run_scenario('mixed', '--args', 'cores=16', platform='bluefield3')
        for port in ('p0', 'p1'):
            ours = sorted(octets.hex() for _, octets in captures.read(self.dir / f'{port}.pcapng'))
            linux = sorted(padded(octets).hex() for _, octets in captures.read(TRACES / f'mixed.{port}.out.pcap'))
            self.assertEqual(ours, linux, f'out of {port}')

    def test_summary_adds_up(self):
        out, _ = self.run_scenario('denied')
        self.assertEqual(self.value('run', 'p0', 'etherStatsPkts'), 18)
        self.assertEqual(self.value('run', 'p1', 'aFramesTransmittedOK'), 8)
        for word in ('b/s', 'p99.9', 'busy', 'GB/s', 'p0 in', 'p1 out'):
            self.assertIn(word, out)

    def test_tshark_sees_right_checksums_and_ttls(self):
        if not shutil.which('tshark'):
            (self.fail if 'CI' in os.environ else self.skipTest)('tshark is not installed')
        self.run_scenario('mixed')
        fields = subprocess.run(
            ['tshark', '-r', self.dir / 'p1.pcapng', '-o', 'ip.check_checksum:TRUE', '-o', 'tcp.check_checksum:TRUE', '-o',
             'udp.check_checksum:TRUE', '-T', 'fields', '-e', 'ip.ttl', '-e', 'ip.checksum.status', '-e', 'tcp.checksum.status',
             '-e', 'udp.checksum.status', '-e', 'ipv6.hlim'], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(len(fields), len(captures.read(TRACES / 'mixed.p1.out.pcap')))
        for line in fields:
            ttl, ip, tcp, udp, hops = (line.split('\t') + [''] * 5)[:5]
            self.assertIn(ttl or hops, ('63',), line)  # every station of the traces starts at 64
            for status in (ip, tcp, udp):
                self.assertIn(status, ('', '1'), line)  # 1: good


def add_scenario(name):
    def test(self):
        self.run_scenario(name)
        self.check_against_linux(name)
    setattr(MainJob, f'test_{name}_as_linux', test)


for scenario in SCENARIOS:
    add_scenario(scenario)

if __name__ == '__main__':
    unittest.main()
