#!/usr/bin/env python3
"""Checks <m>.regs.json, the one description of a device's registers, and generates what others need of it.

  regs.py FILE [--table OUT] [--header OUT] [--doc OUT]   C++ table, C header for firmware, Markdown
  regs.py --check FILE...                                 checks only

Every error names its place ("file: register X: message"); all errors of a file are reported. Exit code 1 on errors.
"""

import argparse
import difflib
import json
import os
import re
import sys

ACCESSES = {
    "rw": "read and write",
    "ro": "read only, writes are ignored",
    "wo": "write only, reads 0",
    "w1c": "write 1 to clear",
    "rc": "a read clears, writes are ignored",
}
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*\Z")
DEVICE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
KEYWORDS = set(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval "
    "constexpr constinit continue decltype default delete do double else enum explicit export extern false float for "
    "friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register requires return short signed sizeof static struct switch template this throw true try "
    "typedef typeid typename union unsigned using virtual void volatile while xor xor_eq".split())


class Problems:
    """Collects the errors of one file."""

    def __init__(self, path):
        self.path = path
        self.lines = []

    def add(self, place, message):
        line = f"{self.path}: {place}: {message}" if place else f"{self.path}: {message}"
        if line not in self.lines:
            self.lines.append(line)


class Reader:
    """Takes typed values out of one JSON object and reports what is missing, of the wrong type, or unknown."""

    def __init__(self, problems, place, entry, known):
        self.problems, self.place, self.entry = problems, place, entry
        for key in entry:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f', did you mean "{near[0]}"' if near else f", known are {', '.join(known)}"
                self.error(f'unknown key "{key}"{hint}')

    def error(self, message):
        self.problems.add(self.place, message)

    def text(self, key):
        value = self.entry.get(key)
        if value is None:
            self.error(f'"{key}" is missing')
        elif not isinstance(value, str) or not value.strip():
            self.error(f'"{key}" must be a text that is not empty')
        else:
            return " ".join(value.split())
        return "?"

    def number(self, key, default=None):
        """Returns a number not below 0, or None after an error. Texts may be hexadecimal, binary or decimal."""
        if key not in self.entry:
            if default is None:
                self.error(f'"{key}" is missing')
            return default
        value = parse_number(self.entry[key])
        if value is None:
            self.error(f'"{key}" is {json.dumps(self.entry[key])}, expected a number such as 16 or "0x10"')
        return value

    def choice(self, key, choices, default=None):
        value = self.entry.get(key, default)
        if value is None:
            self.error(f'"{key}" is missing')
        elif not isinstance(value, str) or value not in choices:
            self.error(f'"{key}" is {json.dumps(value)}, expected one of {", ".join(choices)}')
            value = None
        return value


def parse_number(value):
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, str) and re.fullmatch(r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|[1-9][0-9_]*|0", value):
        try:
            return int(value, 0)
        except ValueError:
            return None
    return None


def parse_bits(text):
    """Returns (high, low) of "7:0" or "3", or None."""
    if isinstance(text, int) and not isinstance(text, bool):
        text = str(text)
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text) if isinstance(text, str) else None
    if not match:
        return None
    high = int(match[1])
    return high, int(match[2]) if match[2] is not None else high


class Field:
    def __init__(self, name, high, low, access, text, values):
        self.name, self.high, self.low, self.access, self.text, self.values = name, high, low, access, text, values

    @property
    def mask(self):
        return ((1 << (self.high - self.low + 1)) - 1) << self.low

    @property
    def bits(self):
        return f"{self.high}:{self.low}" if self.high != self.low else str(self.low)


class Register:
    """One register or array; `fields` holds named fields only, in falling order of bits."""

    def __init__(self, reader, problems):
        self.name = reader.text("name")
        self.text = reader.text("text")
        if self.name != "?" and not NAME.match(self.name):
            reader.error("the name must be an identifier: letters and digits, parts joined by single underscores")
        if self.name in KEYWORDS:
            reader.error("the name is a keyword of C++")
        width = reader.number("width", 32)
        if width not in (8, 16, 32, 64):
            if width is not None:
                reader.error(f'"width" is {width}, expected 8, 16, 32 or 64')
            width = 32
        self.width, self.octets = width, width // 8
        self.offset = self.aligned(reader, "offset", None)
        self.count = reader.number("count", 1) or 0
        if self.count == 0 and parse_number(reader.entry.get("count", 1)) == 0:
            reader.error('"count" is 0, expected at least 1')
        self.stride = self.aligned(reader, "stride", self.octets)
        if self.stride is not None and self.stride < self.octets:
            reader.error(f'"stride" is {self.stride}, less than the {self.octets} octets of the register')
            self.stride = None
        self.min_access = reader.number("min_access", self.octets)
        if self.min_access is not None and (self.min_access not in (1, 2, 4, 8) or self.min_access > self.octets):
            reader.error(f'"min_access" is {self.min_access}, expected a power of two up to {self.octets} octets')
        self.access = reader.choice("access", ACCESSES) if "access" in reader.entry else None
        self.reset = reader.number("reset", 0) or 0
        self.fields, self.reserved = [], []
        full = (1 << width) - 1
        if "fields" in reader.entry:
            self.read_fields(reader, problems, full)
        elif "access" not in reader.entry:
            reader.error('"access" is missing')
        if self.reset & ~full:
            reader.error(f"reset {self.reset:#x} does not fit in {width} bits")
        elif self.reset & ~self.covered:
            reader.error(f"reset {self.reset:#x} sets bits {bit_list(self.reset & ~self.covered)}, which are in no field")

    def aligned(self, reader, key, default):
        value = reader.number(key, default)
        if value is not None and value % self.octets:
            reader.error(f'"{key}" {value:#x} is not a multiple of the register\'s {self.octets} octets')
            return None
        return value

    @property
    def covered(self):
        if not self.fields and not self.reserved:
            return (1 << self.width) - 1
        return sum(field.mask for field in self.fields)

    def mask(self, access):
        if not self.fields and not self.reserved:
            return (1 << self.width) - 1 if self.access == access else 0
        return sum(field.mask for field in self.fields if field.access == access)

    def read_fields(self, reader, problems, full):
        entries = reader.entry["fields"]
        if not isinstance(entries, list) or not entries:
            reader.error('"fields" must be a list that is not empty')
            return
        owner = {}  # bit -> name of what covers it
        names = {}
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                reader.error(f"field {number} must be an object")
                continue
            place = f"{reader.place}: field {entry.get('name', entry.get('reserved', number))}"
            if "reserved" in entry:
                field = Reader(problems, place, entry, ["reserved"])
                name, bits = "a reserved range", parse_bits(entry["reserved"])
                key = "reserved"
            else:
                field = Reader(problems, place, entry, ["name", "bits", "access", "text", "values"])
                name, bits, key = field.text("name"), parse_bits(entry.get("bits")), "bits"
                if name != "?" and not NAME.match(name):
                    field.error("the name must be an identifier: letters and digits, parts joined by single underscores")
                if name.upper() in names and name != "?":
                    field.error("the name is used twice (names are compared without case)")
                names[name.upper()] = True
            if bits is None:
                field.error(f'"{key}" is {json.dumps(entry.get(key))}, expected such as "7:0" or "3"')
                continue
            high, low = bits
            if high < low or high >= self.width:
                field.error(f'"{key}" is "{high}:{low}", expected high:low within {self.width - 1}:0')
                continue
            clash = next((bit for bit in range(low, high + 1) if bit in owner), None)
            if clash is not None:
                field.error(f"overlaps {owner[clash]} in bit {clash}")
            for bit in range(low, high + 1):
                owner.setdefault(bit, f"field {name}" if key == "bits" else name)
            if key == "reserved":
                self.reserved.append((high, low))
            else:
                access = field.choice("access", ACCESSES, self.access)
                self.fields.append(Field(name, high, low, access, field.text("text"), read_values(field, high - low + 1)))
        self.fields.sort(key=lambda f: -f.high)
        missing = full & ~sum(1 << bit for bit in owner)
        if missing:
            reader.error(f"bits {bit_list(missing)} are in no field and not reserved")


def read_values(field, bits):
    """Returns [(number, text)] in rising order."""
    values = field.entry.get("values", {})
    if not isinstance(values, dict):
        field.error('"values" must be an object of number: text')
        return []
    result = {}
    for key, text in values.items():
        number = parse_number(key)
        if number is None:
            field.error(f'value "{key}" is no number')
        elif number >> bits:
            field.error(f'value "{key}" does not fit in {bits} bit{"s" if bits > 1 else ""}')
        elif number in result:
            field.error(f'value "{key}" is given twice')
        elif not isinstance(text, str) or not text.strip():
            field.error(f'value "{key}" must have a text that is not empty')
        else:
            result[number] = " ".join(text.split())
    return sorted(result.items())


def bit_list(mask):
    """Returns "31:8,3" of a mask."""
    parts, bit = [], mask.bit_length() - 1
    while bit >= 0:
        if mask >> bit & 1:
            low = bit
            while low > 0 and mask >> (low - 1) & 1:
                low -= 1
            parts.append(f"{bit}:{low}" if low != bit else str(bit))
            bit = low
        bit -= 1
    return ",".join(parts)


class Device:
    """A checked description. `reserved` holds (first, last, count, stride) of reserved ranges of offsets."""

    def __init__(self, problems, entry):
        reader = Reader(problems, "", entry, ["device", "title", "source", "size", "registers"])
        self.name = reader.text("device")
        if self.name != "?" and not DEVICE.match(self.name):
            reader.error(f'"device" is "{self.name}", expected an identifier in snake_case')
        self.title, self.source = reader.text("title"), reader.text("source")
        self.size = reader.number("size")
        if self.size is not None and not 0 < self.size <= 1 << 32:
            reader.error(f'"size" is {self.size:#x}, expected 1 to 0x100000000 octets')
            self.size = None
        self.registers, self.reserved = [], []
        entries = entry.get("registers")
        if not isinstance(entries, list) or not entries:
            reader.error('"registers" must be a list that is not empty')
            return
        for number, item in enumerate(entries):
            self.read_entry(problems, number, item)
        self.check_names(problems)
        if self.size is not None and not problems.lines:
            self.check_layout(problems)

    def read_entry(self, problems, number, item):
        if not isinstance(item, dict):
            problems.add(f"register {number}", "must be an object")
        elif "reserved" in item:
            self.read_reserved(Reader(problems, f"reserved {item['reserved']}", item, ["reserved", "count", "stride"]))
        else:
            known = ["name", "offset", "width", "access", "reset", "min_access", "count", "stride", "text", "fields"]
            reader = Reader(problems, f"register {item.get('name', number)}", item, known)
            self.registers.append(Register(reader, problems))

    def read_reserved(self, reader):
        text = reader.entry["reserved"]
        ends = [parse_number(end) for end in text.split("..")] if isinstance(text, str) else []
        if len(ends) == 1:
            ends *= 2
        count = reader.number("count", 1)
        if len(ends) != 2 or None in ends or ends[0] > ends[1]:
            reader.error('expected such as "0x004..0x017", first and last octet')
            return
        stride = reader.number("stride", ends[1] - ends[0] + 1)
        if not count or stride is None or stride < ends[1] - ends[0] + 1:
            reader.error('"count" must be at least 1 and "stride" not less than the range')
            return
        self.reserved.append((ends[0], ends[1], count, stride))

    def check_names(self, problems):
        made = {f"{self.name.upper()}_SIZE": "the device's size"}
        for register in self.registers:
            place = f"register {register.name}"
            macro = f"{self.name.upper()}_{register.name.upper()}"
            names = [(macro, place)]
            if register.count > 1:
                names += [(f"{macro}_COUNT", f"the number of elements of {place}")]
            for field in {f.name.upper(): f for f in register.fields}.values():
                what = f"field {field.name} of {place}"
                names += [(f"{macro}_{field.name.upper()}_{end}", what) for end in ("MASK", "SHIFT")]
            for name, what in names:
                if made.setdefault(name, what) is not what and register.name != "?":
                    same = made[name] == what
                    problems.add(place, "the name is used twice (names are compared without case)" if same and what == place
                                 else f"{what} and {made[name]} would both be {name} in the C header")

    def check_layout(self, problems):
        spans = []  # (first octet, octet after the last, what)
        for register in self.registers:
            for n in range(register.count):
                first = register.offset + n * register.stride
                what = f"register {register.name}" + (f"[{n}]" if register.count > 1 else "")
                spans.append((first, first + register.octets, what))
        for first, last, count, stride in self.reserved:
            for n in range(count):
                spans.append((first + n * stride, last + 1 + n * stride, f"reserved {first:#x}..{last:#x}"))
        spans.sort(key=lambda span: (span[0], span[1]))
        at, before = 0, "the device's base"
        for first, end, what in spans:
            if first < at:
                problems.add(what, f"{first:#x}..{end - 1:#x} overlaps {before}, which ends at {at - 1:#x}")
            elif first > at:
                self.gap(problems, at, first, before, what)
            if end > self.size:
                problems.add(what, f"{first:#x}..{end - 1:#x} is beyond the size {self.size:#x}")
                return
            if end > at:
                at, before = end, what
        if at < self.size:
            self.gap(problems, at, self.size, before, "the end")

    @staticmethod
    def gap(problems, first, end, before, after):
        problems.add(f"offsets {first:#x}..{end - 1:#x}", f"in no register and not reserved (between {before} and {after})")


def no_duplicate_keys(pairs):
    result = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f'key "{key}" is given twice in one object')
        result[key] = value
    return result


def load(path):
    """Returns (Device, []) or (None, error lines)."""
    problems = Problems(path)
    try:
        with open(path, encoding="utf-8") as file:
            entry = json.load(file, object_pairs_hook=no_duplicate_keys)
    except json.JSONDecodeError as error:
        problems.add(f"line {error.lineno} column {error.colno}", error.msg)
        return None, problems.lines
    except (OSError, ValueError) as error:
        problems.add("", error.strerror if isinstance(error, OSError) else str(error))
        return None, problems.lines
    if not isinstance(entry, dict):
        problems.add("", "must be an object")
        return None, problems.lines
    device = Device(problems, entry)
    return (None if problems.lines else device), problems.lines


def origin(path):
    return f"Generated by tools/regs/regs.py from {os.path.basename(path)}; change that."


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def make_table(device, path):
    """Returns the C++ header with the model's register table."""
    out = [f"// {device.title} ({device.source}). {origin(path)}", "#pragma once", "", '#include "sim/registers.h"', "",
           f"namespace dpusim::{device.name}_regs {{", "", "enum Register : unsigned {"]
    out += [f"  {r.name},  ///< {r.text}" for r in device.registers]
    out += ["};", "", "inline constexpr RegisterInfo kTable[] = {",
            "    // name, offset, width, min_access, count, stride, reset, rw, ro, wo, w1c, rc"]
    for r in device.registers:
        masks = ", ".join(f"{r.mask(access):#x}" for access in ACCESSES)
        out.append(f"    {{{quoted(r.name)}, {r.offset:#05x}, {r.width}, {r.min_access}, {r.count}, {r.stride}, {r.reset:#x}, "
                   f"{masks}}},")
    out += ["};", "", f"inline constexpr std::uint64_t kSize = {device.size:#x};", ""]
    for r in device.registers:
        out.append(f"inline constexpr std::uint32_t k{r.name}_offset = {r.offset:#05x};")
        for f in r.fields:
            out.append(f"inline constexpr std::uint64_t k{r.name}_{f.name}_mask = {f.mask:#x};")
            out.append(f"inline constexpr unsigned k{r.name}_{f.name}_shift = {f.low};")
    return "\n".join(out + ["", f"}}  // namespace dpusim::{device.name}_regs", ""])


def make_header(device, path):
    """Returns the C header for firmware. Offsets are from the device's base."""
    prefix = device.name.upper()
    guard = f"DPUSIM_REGS_{prefix}_H"
    out = [f"/* {device.title} ({device.source}). {origin(path)} */", f"#ifndef {guard}", f"#define {guard}", ""]
    for r in device.registers:
        macro = f"{prefix}_{r.name.upper()}"
        out.append(f"/* {r.text.replace('*/', '* /')} */")
        if r.count > 1:
            out.append(f"#define {macro}(n) ({r.offset:#05x}u + (n) * {r.stride:#x}u)")
            out.append(f"#define {macro}_COUNT {r.count}u")
        else:
            out.append(f"#define {macro} {r.offset:#05x}u")
        suffix = "ull" if r.width == 64 else "u"
        for f in r.fields:
            out.append(f"#define {macro}_{f.name.upper()}_MASK {f.mask:#x}{suffix}")
            out.append(f"#define {macro}_{f.name.upper()}_SHIFT {f.low}")
    return "\n".join(out + ["", f"#define {prefix}_SIZE {device.size:#x}{'u' if device.size < 1 << 32 else 'ull'}", "",
                            f"#endif /* {guard} */", ""])


def cell(text):
    return text.replace("|", "\\|")


def make_doc(device, path):
    """Returns the Markdown of the device's registers."""
    out = [f"<!-- {origin(path)} -->", f"# Registers of {device.name}", "",
           f"{device.title}. Source: {device.source}. Size: {device.size:#x} octets.", "",
           "| Offset | Name | Width | Access | Reset | Text |", "|---|---|---|---|---|---|"]
    by_offset = sorted(device.registers, key=lambda r: r.offset)
    for r in by_offset:
        offset = f"{r.offset:#05x}" + (f" + {r.stride:#x} n" if r.count > 1 else "")
        name = r.name + (f"[0..{r.count - 1}]" if r.count > 1 else "")
        access = ", ".join(a for a in ACCESSES if r.mask(a)) or "-"
        out.append(f"| {offset} | {name} | {r.width} | {access} | {r.reset:#x} | {cell(r.text)} |")
    out += ["", "Access: " + "; ".join(f"{key} {text}" for key, text in ACCESSES.items()) + "."]
    for r in by_offset:
        if not r.fields and r.min_access == r.octets:
            continue
        out += ["", f"## {r.name}", "", cell(r.text)]
        if r.min_access != r.octets:
            out += ["", f"Smallest access: {r.min_access} octet{'s' if r.min_access > 1 else ''}."]
        if r.fields:
            out += ["", "| Bits | Field | Access | Reset | Text |", "|---|---|---|---|---|"]
            rows = [(f.high, f) for f in r.fields] + [(high, low) for high, low in r.reserved]
            for high, row in sorted(rows, key=lambda item: -item[0]):
                if isinstance(row, int):
                    out.append(f"| {high if high == row else f'{high}:{row}'} | - | - | 0 | Reserved |")
                    continue
                values = "".join(f"<br>{number:#x}: {cell(text)}" for number, text in row.values)
                out.append(f"| {row.bits} | {row.name} | {row.access} | {(r.reset & row.mask) >> row.low:#x} | "
                           f"{cell(row.text)}{values} |")
    return "\n".join(out + [""])


def write(path, text):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="<m>.regs.json")
    parser.add_argument("--check", action="store_true", help="check only")
    parser.add_argument("--table", metavar="OUT", help="write the C++ table")
    parser.add_argument("--header", metavar="OUT", help="write the C header")
    parser.add_argument("--doc", metavar="OUT", help="write Markdown")
    options = parser.parse_args(arguments)
    outputs = [(options.table, make_table), (options.header, make_header), (options.doc, make_doc)]
    if options.check and any(out for out, _ in outputs):
        parser.error("--check writes nothing")
    if len(options.files) > 1 and not options.check:
        parser.error("more than one FILE only with --check")
    failed = False
    for path in options.files:
        device, errors = load(path)
        for line in errors:
            print(line, file=sys.stderr)
        failed = failed or bool(errors)
        for out, make in outputs:
            if out and device is not None:
                write(out, make(device, path))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
