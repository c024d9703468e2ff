"""What the tests of the accelerators' images share: running an image, and references that have nothing to do with dpusim or its
libraries."""
import os
import random
import shutil
import struct
import subprocess

import common
import captures


# ---- modes of operation over single AES blocks, which openssl's command line computes ----

def aes(key, blocks):
    """AES of any number of 16-octet blocks, each by itself."""
    return subprocess.run(['openssl', 'enc', f'-aes-{8 * len(key)}-ecb', '-nopad', '-K', key.hex()], input=blocks,
                          capture_output=True, check=True).stdout


def xor(a, b):
    return (int.from_bytes(a, 'big') ^ int.from_bytes(b, 'big')).to_bytes(len(a), 'big')


def ghash(h, data):
    """NIST SP 800-38D, 6.4, with its multiplication of 6.3."""
    h, y = int.from_bytes(h, 'big'), 0
    for at in range(0, len(data), 16):
        x, z, v = y ^ int.from_bytes(data[at:at + 16], 'big'), 0, h
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                z ^= v
            v = v >> 1 ^ (0xe1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, 'big')


def gcm(key, iv, aad, text):
    """Ciphertext and tag. NIST SP 800-38D, 7.1."""
    counters = b''.join(iv + struct.pack('>I', n) for n in range(1, 2 + (len(text) + 15) // 16))
    stream = aes(key, bytes(16) + counters)
    sealed = xor(text, stream[32:32 + len(text)]) if text else b''

    def padded(octets):
        return octets + bytes(-len(octets) % 16)
    lengths = struct.pack('>QQ', 8 * len(aad), 8 * len(sealed))
    return sealed + xor(ghash(stream[:16], padded(aad) + padded(sealed) + lengths), stream[16:32])


def xts(key, first, unit, text):
    """IEEE 1619-2007, 5.3, with ciphertext stealing in a last unit of another length."""
    data_key, tweak_key = key[:len(key) // 2], key[len(key) // 2:]
    units = [text[at:at + unit] for at in range(0, len(text), unit)]
    starts = aes(tweak_key, b''.join((first + n).to_bytes(16, 'little') for n in range(len(units))))
    out = []
    for number, part in enumerate(units):
        t, tweaks = int.from_bytes(starts[16 * number:16 * number + 16], 'little'), []
        for _ in range(len(part) // 16 + 1):
            tweaks.append(t.to_bytes(16, 'little'))
            t = t << 1 & (1 << 128) - 1 ^ (0x87 if t >> 127 else 0)
        whole = len(part) // 16 * 16
        mask = b''.join(tweaks)[:whole]
        sealed = xor(aes(data_key, xor(part[:whole], mask)), mask)
        rest = len(part) - whole
        if rest:
            last = part[whole:] + sealed[whole - 16 + rest:]
            stolen = xor(aes(data_key, xor(last, tweaks[whole // 16])), tweaks[whole // 16])
            sealed = sealed[:whole - 16] + stolen + sealed[whole - 16:whole - 16 + rest]
        out.append(sealed)
    return b''.join(out)


def lz4_block(block):
    """Decompresses an LZ4 block (lz4_Block_format.md of the LZ4 project)."""
    out, at = bytearray(), 0

    def extended(length):
        nonlocal at
        while length >= 15:
            octet = block[at]
            at += 1
            length += octet
            if octet != 255:
                break
        return length
    while True:
        token = block[at]
        at += 1
        literals = extended(token >> 4)
        out += block[at:at + literals]
        at += literals
        if at == len(block):
            return bytes(out)
        offset = block[at] | block[at + 1] << 8
        at += 2
        for _ in range(extended(token & 15) + 4):
            out.append(out[-offset])


def sample(octets, seed=1):
    """Text with some noise in it: compresses, but not to nothing."""
    random.seed(seed)
    words = [b'frame', b'queue', b'engine', b'doorbell', b'memory', b'\n', b'card', b'0123456789']
    out = bytearray()
    while len(out) < octets:
        out += random.choice(words) + (bytes([random.randrange(256)]) if random.random() < 0.1 else b' ')
    return bytes(out[:octets])


class Case(common.Case):
    """A test of an image on the accelerators."""
    def image(self, name, arguments='', *more, code=0):
        out, _ = self.dpusim('run', 'bluefield2', '--firmware', self.firmware(name), '--args', arguments, '--out', 'run', '--quiet', *more,
                             code=code)
        return out.replace('\r', '')

    def tool(self, name):
        if not shutil.which(name):
            (self.fail if 'CI' in os.environ else self.skipTest)(f'{name} is not installed')
        return name

    def written(self, name):
        return (self.dir / 'run' / 'files' / name).read_bytes()

    def given(self, name, octets):
        (self.dir / name).write_bytes(octets)
        return octets

    def check_line(self, text, image, expected):
        lines = [line for line in text.splitlines() if line.startswith(image + ':')]
        self.assertEqual(lines, [expected])


# ---- what an intrusion prevention system lets through, by reassembling flows and Python's re ----

class Packet:
    """A frame's flow and payload; flow is None where dpi has nothing to look at."""

    def __init__(self, port, octets):
        self.octets, self.flow, self.payload, self.flags = octets, None, b'', 0
        at, tags = 12, ()
        while octets[at:at + 2] in (b'\x81\x00', b'\x88\xa8'):
            tags += (octets[at + 2:at + 4],)
            at += 4
        ip = octets[at + 2:]
        if octets[at:at + 2] == b'\x08\x00':
            total, header = struct.unpack('>H', ip[2:4])[0], 4 * (ip[0] & 15)
            if struct.unpack('>H', ip[6:8])[0] & 0x3fff:
                return
            protocol, addresses, body = ip[9], ip[12:20], ip[header:total]
        elif octets[at:at + 2] == b'\x86\xdd':
            protocol, addresses, body = ip[6], ip[8:40], ip[40:40 + struct.unpack('>H', ip[4:6])[0]]
        else:
            return
        if protocol not in (6, 17):
            return
        self.tcp = protocol == 6
        self.flow = (port, tags, protocol, addresses, body[:4])
        if self.tcp:
            self.sequence, self.flags = struct.unpack('>I', body[4:8])[0], body[13]
            self.payload = body[4 * (body[12] >> 4):]
        else:
            self.payload = body[8:struct.unpack('>H', body[4:6])[0]]


def first_end(patterns, data):
    """The least n such that some pattern matches within the first n octets, with the numbers of the rules that do; a pattern's match
    within n octets is one within n + 1, so that halving finds it."""
    ends = {}
    for number, pattern in patterns.items():
        if pattern.search(data):
            low, high = 0, len(data)
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if pattern.search(data[:middle]) else (middle + 1, high)
            ends[number] = low
    return ends


def verdicts(packets, patterns):
    """Which frames pass, and in how many of the dropped ones each rule's first match ends. Every frame of a flow continues what came
    before or repeats it, which is asserted."""
    passing, rules, streams, blocked = [], {}, {}, set()
    for packet in packets:
        if packet.flow is None:
            passing.append(packet)
        elif packet.flow in blocked:
            continue
        elif not packet.tcp:
            ends = first_end(patterns, packet.payload)
            if ends:
                blocked.add(packet.flow)
            else:
                passing.append(packet)
            for number in ends:
                rules[number] = rules.get(number, 0) + 1
        else:
            begin = packet.sequence + (1 if packet.flags & 2 else 0)
            start, data = streams.setdefault(packet.flow, (begin, bytearray()))
            skip = start + len(data) - begin
            if packet.payload and not packet.flags & 4:
                assert skip >= 0, 'a segment is missing in the capture'
                data += packet.payload[skip:]
            old = len(data) - len(packet.payload[skip:])
            ends = {n: end for n, end in first_end(patterns, bytes(data)).items() if end > old}
            if ends:
                blocked.add(packet.flow)
            else:
                passing.append(packet)
            for number in ends:
                rules[number] = rules.get(number, 0) + 1
    return passing, rules


def tcp_frame(sequence, payload, flags=0x10, ports=(40000, 80)):
    """A TCP segment in an Ethernet frame, with right checksums."""
    source, destination = bytes([192, 0, 2, 2]), bytes([198, 51, 100, 2])
    tcp = struct.pack('>HHIIBBHHH', *ports, sequence & 0xffffffff, 1, 0x50, flags, 65535, 0, 0) + payload
    pseudo = source + destination + struct.pack('>BBH', 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack('>H', captures.checksum(pseudo + tcp)) + tcp[18:]
    header = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, destination)
    header = header[:10] + struct.pack('>H', captures.checksum(header)) + header[12:]
    octets = b'\x02\0\0\0\x02\x02' + b'\x02\0\0\0\x01\x02' + b'\x08\x00' + header + tcp
    return octets + bytes(max(0, 60 - len(octets)))
