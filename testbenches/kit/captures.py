"""Reads and writes captures for tests, independently of the simulator's own code."""
import struct


def read(path):
    """Returns [(time in ns, octets)] of a pcap or pcapng file with Ethernet frames."""
    with open(path, 'rb') as file:
        data = file.read()
    magic = data[:4]
    if magic == b'\x0a\x0d\x0d\x0a':
        return _pcapng(data)
    order = '<' if magic in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') else '>'
    scale = 1 if magic in (b'\x4d\x3c\xb2\xa1', b'\xa1\xb2\x3c\x4d') else 1000
    frames, at = [], 24
    while at < len(data):
        seconds, fraction, captured, _ = struct.unpack_from(order + 'IIII', data, at)
        frames.append((seconds * 10**9 + fraction * scale, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return frames


def _pcapng(data):
    order = '<' if data[8:12] == b'\x4d\x3c\x2b\x1a' else '>'
    frames, at, unit = [], 0, 10**3
    while at < len(data):
        kind, length = struct.unpack_from(order + 'II', data, at)
        if kind == 1:  # interface: look for if_tsresol
            option = at + 16
            while option < at + length - 4:
                code, size = struct.unpack_from(order + 'HH', data, option)
                if code == 9:
                    unit = {6: 10**3, 9: 1}[data[option + 4]]
                if code == 0:
                    break
                option += 4 + (size + 3) // 4 * 4
        if kind == 6:
            _, high, low, captured, _ = struct.unpack_from(order + 'IIIII', data, at + 8)
            frames.append((((high << 32) | low) * unit, data[at + 28:at + 28 + captured]))
        at += length
    return frames


def write(path, frames):
    """Writes [(time in ns, octets)] as a nanosecond pcap file."""
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        for when, octets in frames:
            file.write(struct.pack('<IIII', when // 10**9, when % 10**9, len(octets), len(octets)) + octets)


def checksum(octets):
    """The Internet checksum, RFC 1071."""
    if len(octets) % 2:
        octets += b'\0'
    total = sum(struct.unpack('>%dH' % (len(octets) // 2), octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp_frame(size, source='192.0.2.2', destination='198.51.100.2', ttl=64, number=0,
              to=b'\x02\0\0\0\x01\x01', sender=b'\x02\0\0\0\x01\x02'):
    """An Ethernet frame of `size` octets with FCS (so size - 4 here) that holds a UDP datagram."""
    def address(text):
        return bytes(int(part) for part in text.split('.'))
    payload = struct.pack('>I', number) + bytes(size - 4 - 14 - 20 - 8 - 4)
    udp = struct.pack('>HHHH', 4000, 4001, 8 + len(payload), 0) + payload
    pseudo = address(source) + address(destination) + struct.pack('>BBH', 0, 17, len(udp))
    udp = udp[:6] + struct.pack('>H', checksum(pseudo + udp) or 0xffff) + udp[8:]
    header = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), number & 0xffff, 0, ttl, 17, 0, address(source), address(destination))
    header = header[:10] + struct.pack('>H', checksum(header)) + header[12:]
    return to + sender + b'\x08\x00' + header + udp
