#!/usr/bin/env python3
"""Checks <m>.desc.json, the one description of structures in memory that a device and software share, and generates from it.

  descriptors.py FILE [--header OUT] [--doc OUT]   header for C11 and C++, Markdown
  descriptors.py --check FILE...                   checks only

A description has "name", "title", "source", "text" (paragraphs, optional) and at least one of
  "constants": [{"name", "value", "text"}]
  "enums":     [{"name", "prefix", "text", "values": [{"name", "value", "text"}]}]
  "structs":   [{"name", "size", "text", "fields": [{"name", "type", "offset", "count", "text"}]}]
Types are u8, u16, u32 and u64, little-endian and naturally aligned; fields cover the whole of a structure. "count" makes an array.

Every error names its place ("file: struct X: field y: message"), what was found and what was expected. Exit code 1 on errors.
"""

import argparse
import difflib
import json
import os
import re
import sys
import textwrap

TYPES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
TYPE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
FIELD_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
MACRO_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z")
KEYWORDS = set("""alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval constexpr
    constinit continue decltype default delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not nullptr operator or private protected public register requires restrict return short signed sizeof
    static struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while
    xor""".split())


def parse_number(value):
    """Returns a number not below 0 of a JSON number or a text in hexadecimal, binary or decimal, or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 0 else None
    if isinstance(value, str) and re.fullmatch(r"0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*|0[bB][01]+(_[01]+)*|[1-9][0-9]*(_[0-9]+)*|0", value):
        return int(value, 0)
    return None


class Object:
    """One JSON object at a place: takes typed values out and reports what is missing, of the wrong type, or unknown."""

    def __init__(self, errors, place, entry, known):
        self.errors, self.place, self.entry = errors, place, entry if isinstance(entry, dict) else {}
        if not isinstance(entry, dict):
            self.error(f"found {json.dumps(entry)}, expected an object with {', '.join(known)}")
        for key in self.entry:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                self.error(f'unknown key "{key}", ' + (f'did you mean "{near[0]}"' if near else f"known are {', '.join(known)}"))
        self.ok = isinstance(entry, dict)

    def error(self, message):
        self.errors.append(f"{self.place}: {message}" if self.place else message)

    def text(self, key):
        value = self.entry.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
        if self.ok:
            self.error(f'"{key}" is missing' if value is None else f'"{key}" is {json.dumps(value)}, expected a text that is not empty')
        return "?"

    def name(self, key, pattern, kind):
        value = self.text(key)
        if value != "?" and (not pattern.match(value) or value in KEYWORDS):
            self.error(f'"{key}" is "{value}", expected an identifier in {kind} that is no keyword')
        return value

    def number(self, key, low, high, default=None):
        """Returns a number of low..high, or None after an error."""
        if key not in self.entry:
            if default is None and self.ok:
                self.error(f'"{key}" is missing')
            return default
        value = parse_number(self.entry[key])
        if value is None or not low <= value <= high:
            self.error(f'"{key}" is {json.dumps(self.entry[key])}, expected a number of {low} to {high:#x}')
            return None
        return value

    def list(self, key, optional=False):
        value = self.entry.get(key)
        if value is None and (optional or not self.ok):
            return []
        if not isinstance(value, list) or not value:
            self.error(f'"{key}" is missing' if value is None else f'"{key}" is {json.dumps(value)}, expected a list that is not empty')
            return []
        return value


def label(kind, number, entry):
    """Returns the place of an element of a list: by name where it has one."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"{kind} {name if isinstance(name, str) else number}"


class Constant:
    def __init__(self, errors, place, entry, prefix=""):
        read = Object(errors, place, entry, ["name", "value", "text"])
        self.name = prefix + read.name("name", MACRO_NAME, "UPPER_CASE")
        # Enumeration constants are of type int in C11 (6.7.2.2).
        self.value, self.text = read.number("value", 0, 0x7fffffff), read.text("text")
        self.written = str(read.entry.get("value")).replace("_", "")  # keeps the base


class Enum:
    def __init__(self, errors, place, entry):
        read = Object(errors, place, entry, ["name", "prefix", "text", "values"])
        self.name, self.text = read.name("name", TYPE_NAME, "PascalCase"), read.text("text")
        self.prefix = read.text("prefix")
        if self.prefix != "?" and not re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_", self.prefix):
            read.error(f'"prefix" is "{self.prefix}", expected UPPER_CASE_ with an underscore at the end')
        self.values = [Constant(errors, f"{place}: {label('value', n, item)}", item, self.prefix)
                       for n, item in enumerate(read.list("values"))]
        seen = {}
        for value in self.values:
            if value.value is not None and seen.setdefault(value.value, value.name) != value.name:
                read.error(f"{value.name} is {value.value}, which {seen[value.value]} is already")


class Field:
    def __init__(self, errors, place, entry):
        self.read = Object(errors, place, entry, ["name", "type", "offset", "count", "text"])
        self.name, self.text = self.read.name("name", FIELD_NAME, "snake_case"), self.read.text("text")
        self.type = self.read.text("type")
        if self.type != "?" and self.type not in TYPES:
            self.read.error(f'"type" is "{self.type}", expected one of {", ".join(TYPES)}')
        self.octets = TYPES.get(self.type, 0)
        self.offset = self.read.number("offset", 0, 0xffff)
        self.count = self.read.number("count", 1, 0x10000, 1)
        self.array = f"[{self.count}]" if "count" in self.read.entry else ""
        if self.offset is not None and self.octets and self.offset % self.octets:
            self.read.error(f'"offset" is {self.offset}, expected a multiple of {self.octets}, the size of {self.type}')


class Struct:
    def __init__(self, errors, place, entry):
        self.read = Object(errors, place, entry, ["name", "size", "text", "fields"])
        self.name, self.text = self.read.name("name", TYPE_NAME, "PascalCase"), self.read.text("text")
        self.size = self.read.number("size", 1, 0x10000)
        before = len(errors)
        self.fields = [Field(errors, f"{place}: {label('field', n, item)}", item) for n, item in enumerate(self.read.list("fields"))]
        if len(errors) == before and self.size is not None:
            self.check_layout()

    def check_layout(self):
        """Checks that fields stand in order, once, without overlap or gap, and fill the size."""
        at, last, names = 0, None, set()
        for field in self.fields:
            if field.name in names:
                field.read.error("the name is used twice")
            names.add(field.name)
            if field.offset < at:
                field.read.error(f'"offset" is {field.offset}, expected {at}: it overlaps field {last.name}')
            elif field.offset > at:
                field.read.error(f'"offset" is {field.offset}, expected {at}: octets {at} to {field.offset - 1} are in no field')
            at, last = max(at, field.offset + field.octets * field.count), field
        if at != self.size:
            self.read.error(f'"size" is {self.size}, expected {at}: the fields end there')
        align = max(field.octets for field in self.fields)
        if self.size % align:
            self.read.error(f'"size" is {self.size}, expected a multiple of {align}, the alignment of its fields')


class Description:
    def __init__(self, errors, entry):
        read = Object(errors, "", entry, ["name", "title", "source", "text", "constants", "enums", "structs"])
        self.name = read.name("name", FIELD_NAME, "snake_case")
        self.title, self.source = read.text("title"), read.text("source")
        self.text = read.list("text", optional=True)
        if not all(isinstance(text, str) and text.strip() for text in self.text):
            read.error('"text" has an element that is not a text, expected a list of paragraphs')
        parts = [[make(errors, label(kind, n, item), item) for n, item in enumerate(read.list(f"{kind}s", optional=True))]
                 for kind, make in (("constant", Constant), ("enum", Enum), ("struct", Struct))]
        self.constants, self.enums, self.structs = parts
        if read.ok and not any(parts):
            read.error("found nothing to generate, expected constants, enums or structs")
        names = [c.name for c in self.constants] + [v.name for e in self.enums for v in e.values] + \
                [e.name for e in self.enums] + [s.name for s in self.structs]
        for name in sorted({name for name in names if names.count(name) > 1 and not name.endswith("?")}):
            read.error(f"the name {name} is used twice")


def no_duplicate_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f'key "{next(key for key in keys if keys.count(key) > 1)}" is given twice in one object')
    return dict(pairs)


def load(path):
    """Returns (Description, []) or (None, error lines)."""
    errors = []
    try:
        with open(path, encoding="utf-8") as file:
            description = Description(errors, json.load(file, object_pairs_hook=no_duplicate_keys))
    except json.JSONDecodeError as error:
        errors = [f"line {error.lineno} column {error.colno}: {error.msg}"]
    except (OSError, ValueError) as error:
        errors = [error.strerror if isinstance(error, OSError) else str(error)]
    return (None if errors else description), [f"{path}: {line}" for line in errors]


def origin(path):
    return f"Generated by tools/descriptors/descriptors.py from {os.path.basename(path)}; change that."


def comment(text):
    """Returns the lines of a C comment within 120 columns, indentation included."""
    lines = textwrap.wrap(text.replace("*/", "* /"), 114)
    return [("/* " if n == 0 else " * ") + line + (" */" if n == len(lines) - 1 else "") for n, line in enumerate(lines)]


def make_header(description, path):
    """Returns the header for C11 and C++."""
    guard = f"DPUSIM_DESCRIPTORS_{description.name.upper()}_H_"
    check = f"{description.name.upper()}_STATIC_ASSERT"
    out = comment(f"{description.title} ({description.source}). {origin(path)}")
    out += [line for text in description.text for line in ["", *comment(text)]]
    out += ["", f"#ifndef {guard}", f"#define {guard}", "", "#include <stddef.h>", "#include <stdint.h>"]

    def constants(values):
        return [f"  {line}" for v in values for line in [*comment(v.text), f"{v.name} = {v.written},"]]

    if description.constants:
        out += ["", "enum {", *constants(description.constants), "};"]
    for e in description.enums:
        out += ["", *comment(e.text), "enum {", *constants(e.values), "};"]
    for s in description.structs:
        out += ["", *comment(s.text), f"typedef struct {s.name} {{"]
        for f in s.fields:
            out += [f"  {line}" for line in [*comment(f.text), f"uint{8 * f.octets}_t {f.name}{f.array};"]]
        out.append(f"}} {s.name};")
    if description.structs:
        out += ["", "#ifdef __cplusplus", f"#define {check}(condition) static_assert(condition, \"layout\")", "#else",
                f"#define {check}(condition) _Static_assert(condition, \"layout\")", "#endif"]
        for s in description.structs:
            out.append(f"{check}(sizeof({s.name}) == {s.size});")
            out += [f"{check}(offsetof({s.name}, {f.name}) == {f.offset});" for f in s.fields]
        out.append(f"#undef {check}")
    return "\n".join(out + ["", f"#endif /* {guard} */", ""])


def make_doc(description, path):
    """Returns the Markdown."""
    out = [f"<!-- {origin(path)} -->", f"# Structures of {description.name}", "", f"{description.title}. Source: {description.source}."]
    out += [line for text in description.text for line in ["", text]]
    for s in description.structs:
        out += ["", f"## {s.name} ({s.size} octets)", "", s.text, "", "| Offset | Name | Type | Text |", "|---|---|---|---|"]
        out += [f"| {f.offset} | {f.name} | {f.type}{f.array} | {escaped(f.text)} |" for f in s.fields]
    groups = [(e.name, e.text, e.values) for e in description.enums]
    if description.constants:
        groups.append(("Constants", "Limits and sizes.", description.constants))
    for name, text, values in groups:
        out += ["", f"## {name}", "", text, "", "| Value | Name | Text |", "|---|---|---|"]
        out += [f"| {v.written} | {v.name} | {escaped(v.text)} |" for v in values]
    return "\n".join(out + [""])


def escaped(text):
    return text.replace("|", "\\|")


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="<m>.desc.json")
    parser.add_argument("--check", action="store_true", help="check only")
    parser.add_argument("--header", metavar="OUT", action="append", default=[], help="write the header; may be given again")
    parser.add_argument("--doc", metavar="OUT", help="write Markdown")
    options = parser.parse_args(arguments)
    if options.check and (options.header or options.doc):
        parser.error("--check writes nothing")
    if len(options.files) > 1 and not options.check:
        parser.error("more than one FILE only with --check")
    failed = False
    for path in options.files:
        description, errors = load(path)
        print(*errors, sep="\n", end="\n" if errors else "", file=sys.stderr)
        failed = failed or bool(errors)
        outputs = [(out, make_header) for out in options.header] + [(options.doc, make_doc)]
        for out, make in outputs:
            if out and description is not None:
                write(out, make(description, path))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
