#!/usr/bin/env python3
"""Checks that a program was built and linked with the hardening that tacet ships with.

    hardening.py PROGRAM        exit code 0 when all of it is there

Position independent (PIE), all relocations read-only before main (RELRO with immediate binding), no
executable stack, stack protector, and the checked variants of string functions (FORTIFY). Reads the
ELF file itself, so that it needs no tools.
"""

import struct
import sys

PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 2, 0x6474E551, 0x6474E552
PT_LOAD = 1
DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_FLAGS, DT_FLAGS_1 = 5, 6, 10, 30, 0x6FFFFFFB
DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 8, 1, 0x08000000
EXECUTABLE = 1
ET_DYN = 3


class Elf:
    """What of a 64-bit little-endian ELF file is looked at."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no 64-bit little-endian ELF file")
        self.type, = struct.unpack_from("<H", self.bytes, 16)
        offset, = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        self.segments = []
        for i in range(count):
            kind, flags, start, address, _, length, _, _ = struct.unpack_from(
                "<IIQQQQQQ", self.bytes, offset + i * size)
            self.segments.append((kind, flags, start, address, length))
        self.dynamic = dict(self.entries())

    def segment(self, kind):
        return next((one for one in self.segments if one[0] == kind), None)

    def entries(self):
        _, _, start, _, length = self.segment(PT_DYNAMIC)
        for at in range(start, start + length, 16):
            tag, value = struct.unpack_from("<qQ", self.bytes, at)
            if tag == 0:
                return
            yield tag, value

    def offset(self, address):
        for kind, _, start, begin, length in self.segments:
            if kind == PT_LOAD and begin <= address < begin + length:
                return address - begin + start
        raise ValueError("an address outside of the file")

    def imports(self):
        """Names in the table of dynamic strings: all that is imported, and a few more."""
        start = self.offset(self.dynamic[DT_STRTAB])
        return set(self.bytes[start:start + self.dynamic[DT_STRSZ]].decode().split("\0"))


def missing(path):
    """What the program lacks, in words."""
    elf = Elf(path)
    flags, flags_1 = elf.dynamic.get(DT_FLAGS, 0), elf.dynamic.get(DT_FLAGS_1, 0)
    stack = elf.segment(PT_GNU_STACK)
    names = elf.imports()
    checks = {
        "PIE": elf.type == ET_DYN and flags_1 & DF_1_PIE,
        "RELRO": elf.segment(PT_GNU_RELRO),
        "immediate binding": flags & DF_BIND_NOW or flags_1 & DF_1_NOW,
        "a stack that is not executable": stack and not stack[1] & EXECUTABLE,
        "the stack protector": "__stack_chk_fail" in names,
        "FORTIFY": any(name.startswith("__") and name.endswith("_chk") for name in names),
    }
    return [name for name, there in checks.items() if not there]


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    lacks = missing(arguments[0])
    for name in lacks:
        print(f"{arguments[0]} lacks {name}")
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
