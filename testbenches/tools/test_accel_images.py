"""Firmware on the accelerators, against tools and code that have nothing to do with them."""
import gzip
import hashlib
import hmac
import re
import subprocess
import unittest
import zlib

from accel_reference import Case, Packet, gcm, lz4_block, sample, tcp_frame, verdicts, xts
from common import TRACES
import captures


class CryptoDemo(Case):
    def check_file(self, octets):
        self.tool('openssl')
        text = self.given('text.bin', octets)
        out = self.image('crypto_demo', 'file=text.bin', '--file', 'text.bin')
        self.assertRegex(out, r'crypto_demo: \d+ job\(s\), 0 failure\(s\)')
        key, iv, aad = bytes(range(64)), bytes(range(0xa0, 0xac)), text[:20]
        self.assertEqual(self.written('gcm128.bin'), gcm(key[:16], iv, aad, text[20:]))
        self.assertEqual(self.written('gcm256.bin'), gcm(key[:32], iv, aad, text[20:]))
        units = text if len(text) % 512 == 0 or len(text) % 512 >= 16 else text[:-(len(text) % 512)]
        if units:
            self.assertEqual(self.written('xts128.bin'), xts(key[:32], 5, 512, units))
            self.assertEqual(self.written('xts256.bin'), xts(key, 5, 512, units))
        self.assertEqual(self.written('sha256.bin'), hashlib.sha256(text).digest())
        self.assertEqual(self.written('sha512.bin'), hashlib.sha512(text).digest())
        self.assertEqual(self.written('hmac256.bin'), hmac.digest(key[:32], text, 'sha256'))
        self.assertEqual(self.written('hmac512.bin'), hmac.digest(key[:32], text, 'sha512'))
        return out

    def test_crypto_of_a_file_is_openssl_s(self):
        out = self.check_file(sample(512 * 12 + 37))  # the last unit of XTS steals
        self.assertGreater(len(re.findall(r'in pieces', out)), 7)

    def test_crypto_of_odd_lengths(self):
        for length in (1, 16, 21, 520):
            self.check_file(sample(length))

    def test_crypto_says_what_is_wrong(self):
        out = self.image('crypto_demo')
        for name, status in (('wrong tag', 'authentication'), ('right tag', 'ok'), ('empty slot', 'bad_key'), ('cleared key', 'bad_key'),
                             ('unknown opcode', 'bad_opcode'), ("another's opcode", 'bad_opcode'), ('no room for the tag', 'bad_length'),
                             ('sum of segments', 'bad_segments'), ('source nowhere', 'source_bus_error'),
                             ('destination nowhere', 'destination_bus_error'), ('segments nowhere', 'descriptor_bus_error')):
            self.assertRegex(out, rf'(?m)^{re.escape(name)} .* {status}$')
        self.assertRegex(out, r'crypto_demo: \d+ job\(s\), 0 failure\(s\)')

    def test_crypto_demo_refuses_bad_arguments(self):
        self.check_line(self.image('crypto_demo', 'file=none', code=1), 'crypto_demo',
                        'crypto_demo: none is not there (dpusim run --file gives firmware a file)')
        self.check_line(self.image('crypto_demo', 'files=x', code=1), 'crypto_demo',
                        'crypto_demo: found files=x, but there is no such key')


class CompressDemo(Case):
    def test_compressed_files_open_with_tools(self):
        lz4 = self.tool('lz4')
        text = self.given('text.bin', sample(150_001))
        self.given('made.gz', gzip.compress(text, 9))
        subprocess.run([lz4, '-q', '-9', '-BD', 'text.bin', 'made.lz4'], cwd=self.dir, check=True)
        out = self.image('compress_demo', 'file=text.bin gz=made.gz lz4=made.lz4', '--file', 'text.bin', '--file', 'made.gz', '--file',
                         'made.lz4')
        self.assertRegex(out, r'compress_demo: \d+ job\(s\), 0 failure\(s\)')
        self.assertEqual(gzip.decompress(self.written('compressed.gz')), text)
        self.assertEqual(zlib.decompress(self.written('compressed.zlib')), text)
        self.assertEqual(zlib.decompress(self.written('compressed.deflate'), -15), text)
        self.assertEqual(lz4_block(self.written('compressed.lz4block')), text)
        opened = subprocess.run([lz4, '-dc', self.dir / 'run/files/compressed.lz4'], capture_output=True, check=True).stdout
        self.assertEqual(opened, text)
        self.assertEqual(self.written('gunzip.out'), text)
        self.assertEqual(self.written('unlz4.out'), text)
        self.assertIn(f'crc32 0x{zlib.crc32(text):08x}', out)
        self.assertIn(f'adler32 0x{zlib.adler32(text):08x}', out)
        size = len(self.written('compressed.gz'))
        self.assertRegex(out, rf'(?m)^gzip +{len(text)} +{size} +{len(text) * 1000 // size // 1000}\.{len(text) * 1000 // size % 1000:03}$')
        self.assertLess(size, len(text) // 2)

    def test_gzip_of_level_1_to_9_and_no_octets(self):
        text = self.given('text.bin', sample(20_000))
        sizes = []
        for level in (1, 9):
            self.image('compress_demo', f'file=text.bin level={level}', '--file', 'text.bin')
            self.assertEqual(gzip.decompress(self.written('compressed.gz')), text)
            sizes.append(len(self.written('compressed.gz')))
        self.assertLess(sizes[1], sizes[0])
        self.given('text.bin', b'')
        self.image('compress_demo', 'file=text.bin', '--file', 'text.bin')
        self.assertEqual(gzip.decompress(self.written('compressed.gz')), b'')

    def test_compress_says_what_is_wrong(self):
        out = self.image('compress_demo')
        for name, status in (('gzip, wrong crc', 'corrupt_input'), ('gzip, cut short', 'corrupt_input'),
                             ('gzip, too little room', 'output_full'), ('gzip, just enough', 'ok'), ('lz4, wrong magic', 'corrupt_input'),
                             ('level 10', 'bad_flags'), ('no room to compress', 'output_full')):
            self.assertRegex(out, rf'(?m)^{re.escape(name)} .* {status}$')
        self.assertRegex(out, r'compress_demo: \d+ job\(s\), 0 failure\(s\)')
        self.given('broken.gz', gzip.compress(sample(1000))[:-9])
        self.assertIn('FAILED', self.image('compress_demo', 'gz=broken.gz', '--file', 'broken.gz', code=1))

    def test_compress_demo_refuses_bad_arguments(self):
        self.check_line(self.image('compress_demo', 'level=0', code=1), 'compress_demo',
                        'compress_demo: found level=0, expected a whole number from 1 to 9')


class Bench(Case):
    def bench(self, arguments, *more):
        out = self.image('accel_bench', arguments, *more)
        self.assertIn('accel_bench: the first and last results are right', out)
        jobs, ns, rate = map(int, re.search(r'(\d+) jobs in (\d+) ns, (\d+) jobs/s', out).groups())
        self.assertAlmostEqual(rate, jobs * 1e9 / ns, delta=1)
        given = dict(re.findall(r'(\w+)=(\S+)', re.search(r'accel_bench: device=.*', out)[0]))
        self.assertEqual(jobs, int(given['jobs']))
        rates = [float(x) for x in re.search(r'in ([\d.]+) Gb/s, out ([\d.]+) Gb/s', out).groups()]
        return given, rates, rate

    def check_operations(self, device, operations, size=3000):
        for operation, source, result in operations:
            given, rates, rate = self.bench(f'device={device} op={operation} size={size} jobs=200 data=text footprint=1MiB segments=3')
            self.assertEqual(given['op'], operation)
            for found, octets in zip(rates, (source, result)):
                if octets is not None:
                    self.assertAlmostEqual(found, rate * octets * 8 / 1e9, delta=0.001 + found / 10_000)
            self.assertGreaterEqual(self.value('run', device, 'jobs'), 201)  # one before; some are checked by one more

    def test_bench_dma(self):
        self.check_operations('dma', [('copy', 3000, 3000), ('copy-crc', 3000, 3000), ('fill', 0, 3000), ('nop', 0, 0)])

    def test_bench_crypto(self):
        self.check_operations('crypto', [('aes-128-gcm', 3000, 3016), ('aes-256-gcm', 3000, 3016), ('aes-xts', 3000, 3000),
                                         ('aes-256-xts', 3000, 3000), ('sha-256', 3000, 32), ('sha-512', 3000, 64),
                                         ('hmac-sha-256', 3000, 32), ('hmac-sha-512', 3000, 64)])

    def test_bench_compress(self):
        self.check_operations('compress', [('deflate', 3000, None), ('inflate', None, 3000), ('lz4', 3000, None), ('unlz4', None, 3000),
                                           ('crc32', 3000, 0), ('adler32', 3000, 0)])

    def test_bench_regex(self):
        self.given('rules.txt', b'1 /doorbell/\n2 /queue [a-z]+ memory/\n')
        given, rates, rate = self.bench('device=regex op=scan size=3000 jobs=200 data=text', '--set', 'regex.rules=["rules.txt"]')
        self.assertAlmostEqual(rates[0], rate * 24_000 / 1e9, delta=0.01)
        self.assertGreater(rates[1], 0)

    def test_bench_cores_queues_and_polling(self):
        one = self.bench('device=dma op=copy jobs=600 depth=1 data=zero')[2]
        many = self.bench('device=dma op=copy jobs=600 depth=8 queues=8 cores=4 data=zero')[2]
        self.assertGreater(many, 1.5 * one)  # one job at a time keeps one of the engines idle
        self.bench('device=dma op=copy jobs=100 wait=poll size=1 footprint=4KiB')

    def test_bench_costs_few_instructions_a_job(self):
        instructions = []
        for jobs in (1000, 3000):
            self.bench(f'device=dma op=copy size=64 depth=64 data=zero jobs={jobs}')
            instructions.append(self.value('run', 'cpu.core0', 'instructions'))
        self.assertLess((instructions[1] - instructions[0]) / 2000, 300)

    def test_two_bench_runs_are_identical(self):
        results = []
        for _ in range(2):
            out = self.image('accel_bench', 'device=dma op=copy jobs=300 queues=4 cores=2')
            results.append((out, (self.dir / 'run' / 'stats.json').read_bytes()))
        self.assertEqual(results[0], results[1])

    def test_bench_refuses_bad_arguments(self):
        for arguments, message in (
                ('device=gpu', 'found device=gpu, expected crypto, compress, regex or dma'),
                ('device=dma op=sha-256', 'found op=sha-256, expected nop, copy, copy-crc or fill'),
                ('size=0', 'found size=0, expected a whole number from 1 to 8388608'),
                ('op=aes-xts size=520', 'found size=520, expected units of 512 octets, the last one of 16 or more'),
                ('jobs=1x', 'found jobs=1x, expected a whole number from 1 to 1000000000'),
                ('cores=9', 'found cores=9, expected a whole number from 1 to 8'),
                ('device=dma queues=9', 'found queues=9, expected at most 8, which the accelerator has'),
                ('depth=1 depth=2', 'found depth=2, expected each key once'),
                ('fast', 'found "fast", expected at most 32 words KEY=VALUE'),
                ('sise=1', 'found sise=1, but there is no such key')):
            self.check_line(self.image('accel_bench', arguments, code=1), 'accel_bench', 'accel_bench: ' + message)


class Dpi(Case):
    def dpi(self, rules, arguments='', *more):
        """Runs the image on p0.pcap and p1.pcap. @return its text and what left by each port."""
        self.given('rules.txt', ''.join(f'{number} /{pattern}/s\n' for number, pattern in rules.items()).encode())
        inputs = [part for port in ('p0', 'p1') if (self.dir / f'in.{port}.pcap').exists() for part in ('--rx', f'{port}=in.{port}.pcap')]
        out = self.image('dpi', arguments, '--set', 'regex.rules=["rules.txt"]', *inputs, '--tx', 'p0=p0.pcapng', '--tx', 'p1=p1.pcapng', *more)
        self.assertIn('dpi: done', out)
        return out, {port: [octets for _, octets in captures.read(self.dir / f'{port}.pcapng')] for port in ('p0', 'p1')}

    def counter(self, out, name):
        return int(re.search(rf'(?m)^{name} +(\d+)', out)[1])

    def check(self, name, rules, arguments='', *more):
        patterns = {number: re.compile(pattern.encode(), re.S) for number, pattern in rules.items()}
        expected_rules, came = {}, 0
        passing = {}
        for port in ('p0', 'p1'):
            frames = captures.read(TRACES / f'{name}.{port}.pcap')
            came += len(frames)
            captures.write(self.dir / f'in.{port}.pcap', frames)
            packets = [Packet(port, octets + bytes(max(0, 60 - len(octets)))) for _, octets in frames]
            passing[port], counts = verdicts(packets, patterns)
            for number, count in counts.items():
                expected_rules[number] = expected_rules.get(number, 0) + count
        out, sent = self.dpi(rules, arguments, *more)
        for port, other in (('p0', 'p1'), ('p1', 'p0')):
            self.assertEqual(sorted(octets.hex() for octets in sent[port]), sorted(p.octets.hex() for p in passing[other]),
                             f'{name}: out of {port}')
            flows = {}
            for packet in passing[other]:
                flows.setdefault(packet.flow, []).append(packet.octets)
            for flow, frames in flows.items():
                if flow is not None:
                    ours = [octets for octets in sent[port] if Packet(other, octets).flow == flow]
                    self.assertEqual(ours, frames, f'{name}: order of {flow}')
        found = {int(number): int(count) for number, count in re.findall(r'(?m)^rule (\d+) +(\d+)$', out)}
        self.assertEqual(found, expected_rules)
        passed = sum(len(frames) for frames in sent.values())
        self.assertEqual(self.counter(out, 'clean') + self.counter(out, 'empty') + self.counter(out, 'uninspected'), passed)
        self.assertEqual(self.counter(out, 'matched') + self.counter(out, 'blocked'), came - passed)
        return out, came - passed

    def straddling(self, name, port, number):
        """A pattern of 8 octets, half of them at the end of a flow's `number`-th segment with data, half at the start of the next."""
        flows = {}
        for _, octets in captures.read(TRACES / f'{name}.{port}.pcap'):
            packet = Packet(port, octets)
            if packet.flow and packet.tcp and packet.payload:
                flows.setdefault(packet.flow, []).append(packet)
        long = next(packets for packets in flows.values() if len(packets) > number + 1)
        octets = long[number].payload[-4:] + long[number + 1].payload[:4]
        return ''.join(f'\\x{octet:02x}' for octet in octets)

    def test_dpi_lets_everything_through_without_a_match(self):
        _, dropped = self.check('mixed', {1: 'no such octets anywhere'})
        self.assertEqual(dropped, 0)

    def test_dpi_finds_a_match_across_segments(self):
        out, dropped = self.check('http', {7: self.straddling('http', 'p1', 5), 9: 'no such octets anywhere'})
        self.assertGreater(dropped, 5)
        self.assertEqual(self.counter(out, 'matched'), 1)

    def test_dpi_of_requests(self):
        self.check('http', {1: 'GET /[a-z]+', 2: 'User-Agent: [a-z]+'})

    def test_dpi_of_datagrams(self):
        self.check('dns', {3: '\\x07example', 4: '[\\x00-\\x0f]server'})
        self.check('udp', {5: '[0-9]{9}'})

    def test_dpi_of_all_kinds_of_traffic(self):
        for arguments in ('', 'cores=4'):
            self.check('mixed', {1: 'curl/', 2: '\\x00\\x1c\\x00\\x01', 3: '\\x30\\x31\\x32\\x33', 4: 'HTTP/1.[01] 200'}, arguments)

    def test_dpi_of_tagged_and_ipv6_frames(self):
        for name in ('vlan', 'ipv6', 'jumbo'):
            self.check(name, {1: self.straddling(name, 'p1', 1), 2: 'Accept: '})

    def test_dpi_of_repeated_segments(self):
        self.check('loss', {1: self.straddling('loss', 'p0', 30)})
        out, dropped = self.check('loss', {1: 'no such octets anywhere'})
        self.assertEqual(dropped, 0)
        first, last, came = {}, {}, 0
        for port in ('p0', 'p1'):
            for _, octets in captures.read(TRACES / f'loss.{port}.pcap'):
                packet = Packet(port, octets)
                if packet.flow and packet.tcp and packet.payload:
                    came += len(packet.payload)
                    first[packet.flow] = min(first.get(packet.flow, packet.sequence), packet.sequence)
                    last[packet.flow] = max(last.get(packet.flow, 0), packet.sequence + len(packet.payload))
        once = sum(last[flow] - first[flow] for flow in first)
        self.assertLess(once, came)
        self.assertIn(f', octets {once};', out)

    def test_dpi_at_line_rate(self):
        """Frames come faster than verdicts."""
        rules = {1: self.straddling('tcp', 'p0', 100), 2: 'curl/'}
        for name, arguments in (('tcp', ''), ('mixed', 'cores=4')):
            self.check(name, rules, arguments, '--speed', 'line-rate')

    def test_dpi_functional_fidelity_gives_the_same_frames(self):
        self.check('http', {1: self.straddling('http', 'p1', 5)}, '', '--fidelity', 'functional')

    def send(self, frames, rules, *more):
        """Sends frames into p0. @return the image's text and what left by p1."""
        captures.write(self.dir / 'in.p0.pcap', [(1000 * n, octets) for n, octets in enumerate(frames)])
        out, sent = self.dpi(rules, *more)
        return out, sent['p1']

    def test_dpi_puts_segments_in_order(self):
        syn, a, b, c, d = (tcp_frame(99, b'', 2), tcp_frame(100, b'one EV'), tcp_frame(106, b'IL two'), tcp_frame(112, b'three'),
                           tcp_frame(117, b'four', 0x11))
        out, sent = self.send([syn, a, c, d, b], {1: 'EVIL'})
        self.assertEqual(sent, [syn, a])  # c and d waited for b, in which the match ends
        self.assertEqual(self.counter(out, 'matched'), 1)
        self.assertEqual(self.counter(out, 'blocked'), 2)
        _, sent = self.send([syn, a, c, d, b], {1: 'LIVE'})
        self.assertEqual(sent, [syn, a, b, c, d])
        _, sent = self.send([syn, d, b, c, a], {1: 'twothree'})
        self.assertEqual(sent, [syn, a, b])

    def test_dpi_of_overlaps_and_gaps(self):
        syn, a = tcp_frame(99, b'', 2), tcp_frame(100, b'one EV')
        overlap, more = tcp_frame(103, b' EVIL'), tcp_frame(108, b'more')  # the first repeats three octets
        out, sent = self.send([syn, a, a, overlap, more], {1: 'EVIL'})
        self.assertEqual(sent, [syn, a, a])
        self.assertEqual(self.counter(out, 'empty'), 2)  # SYN and what came twice
        out, sent = self.send([syn, a, tcp_frame(200, b'far')], {1: 'EVIL'})  # what lies between never comes
        self.assertEqual(sent, [syn, a])
        self.assertEqual(self.counter(out, 'out_of_order'), 1)

    def test_dpi_of_ends(self):
        """FIN ends a flow: no data behind it; SYN starts it anew, with nothing left of before. $ matches when it ends."""
        syn, a, fin, late = tcp_frame(99, b'', 2), tcp_frame(100, b'one EV'), tcp_frame(106, b'', 0x11), tcp_frame(107, b'late')
        again, b = tcp_frame(899, b'', 2), tcp_frame(900, b'IL')
        out, sent = self.send([syn, a, fin, late, again, b], {1: 'EVIL'})
        self.assertEqual(sent, [syn, a, fin, again, b])
        self.assertEqual(self.counter(out, 'after_end'), 1)
        out, sent = self.send([syn, a, fin, fin], {1: 'EV$'})
        self.assertEqual(sent, [syn, a])
        self.assertEqual((self.counter(out, 'matched'), self.counter(out, 'blocked')), (1, 1))

    def test_dpi_blocks_more_flows_than_there_are_streams(self):
        """Eight flows on four streams: idle ones make room, and each still ends where its match does."""
        frames, expected = [], []
        for number in range(8):
            ports = (40000 + number, 80)
            first = [tcp_frame(99, b'', 2, ports), tcp_frame(100, b'bad w', 0x10, ports)]
            frames += first + [tcp_frame(105, b'ord', 0x10, ports), tcp_frame(108, b'rest', 0x10, ports)]
            expected += first
        out, sent = self.send(frames, {1: 'word'}, 'streams=4', '--set', 'regex.streams=4')
        self.assertEqual(sorted(sent), sorted(expected))  # flows overtake one another
        self.assertIn('flows 8, blocked 8, forgotten 4', out)

    def test_dpi_drops_what_it_cannot_scan(self):
        """The accelerator has one stream, and firmware believes in two: the second flow's data does not pass before it was scanned."""
        def flow(port, *payloads):
            sequence, frames = 100, []
            for payload in payloads:
                frames.append(tcp_frame(sequence, payload, 0x11 if payload == b'end' else 0x10, (port, 80)))
                sequence += len(payload)
            return frames
        a, b = flow(1, b'one', b'end'), flow(2, b'two', b'more')
        out, sent = self.send([a[0], b[0], b[1], a[1], b[0], b[1]], {1: 'nothing'}, 'streams=2', '--set', 'regex.streams=1', '--speed', '0.01')
        self.assertEqual(sent, [a[0], a[1], b[0], b[1], b[1]])  # b[1] waited for b[0], and came again
        self.assertEqual(self.counter(out, 'error'), 1)
        self.assertEqual(self.counter(out, 'empty'), 1)
        # A match gives the flow's stream back.
        a, b = flow(1, b'one', b'match'), flow(2, b'two', b'more')
        out, sent = self.send(a + b, {1: 'ematch'}, 'streams=2', '--set', 'regex.streams=1', '--speed', '0.01')
        self.assertEqual(sent, [a[0], *b])
        self.assertEqual(self.counter(out, 'error'), 0)

    def test_dpi_refuses_bad_arguments(self):
        self.given('rules.txt', b'1 /a/\n')
        for arguments, message in (('cores=9', 'found cores=9, expected a whole number from 1 to 8'),
                                   ('streams=0', 'found streams=0, expected a whole number from 1 to 4096'),
                                   ('rules=x', 'found rules=x, but there is no such key')):
            self.check_line(self.image('dpi', arguments, '--set', 'regex.rules=["rules.txt"]', code=1), 'dpi', 'dpi: ' + message)
        rules = "the regex accelerator has no rules (dpusim run --set 'regex.rules=[\"FILE\"]' gives it some)"
        self.check_line(self.image('dpi', code=1), 'dpi', 'dpi: ' + rules)
        self.check_line(self.image('accel_bench', 'device=regex', code=1), 'accel_bench', 'accel_bench: ' + rules)
        self.check_line(self.image('dpi', '', '--set', 'regex.rules=["rules.txt"]', '--set', 'regex.streams=0', code=1), 'dpi',
                        'dpi: the regex accelerator answers regex_stream with bad_opcode')


if __name__ == '__main__':
    unittest.main()
