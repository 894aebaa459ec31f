# SPDX-License-Identifier: BSD-2-Clause
"""Synthetic event logs, in blocks as GHC's run-time system writes."""
import struct

VARIABLE = 0xFFFF
NO_CAPABILITY = 0xFFFF
TYPES = {9: 0, 10: 0, 18: 14, 30: VARIABLE, 49: 12, 160: VARIABLE, 161: VARIABLE, 162: 8, 164: VARIABLE, 165: 8, 166: 16,
         167: VARIABLE, 168: 8}
TYPE, BIOGRAPHY = 4, 6  # break-downs
END = b"\xff\xff"


def header():
    declared = b"".join(b"etb\0" + struct.pack(">HHII", number, size, 0, 0) + b"ete\0"
                        for number, size in TYPES.items())
    return b"hdrbhetb" + declared + b"hetehdredatb"


def record(number, time_ns, payload=b""):
    length = struct.pack(">H", len(payload)) if TYPES[number] == VARIABLE else b""
    return struct.pack(">HQ", number, time_ns) + length + payload


def block(*records, capability=NO_CAPABILITY):
    inside = b"".join(records)
    return record(18, 0, struct.pack(">IQH", 24 + len(inside), 0, capability)) + inside


def texts(*words):
    return b"".join(word.encode() + b"\0" for word in words)


def started(*words):
    return record(30, 1000, struct.pack(">I", 0) + texts("./prog", *words))


def begun(number=0, breakdown=TYPE):
    return record(160, 2000, struct.pack(">BQI", number, 10**8, breakdown) + texts(*[""] * 7))


def sample(seconds, costs, written=None):
    """Returns a sample; `costs` are by profile and name. A biographical sample is written at a later time
    than its own."""
    time_ns = int(seconds * 10**9)
    begin = record(162, time_ns, struct.pack(">Q", 0)) if written is None \
        else record(166, int(written * 10**9), struct.pack(">QQ", 0, time_ns))
    return begin + b"".join(record(164, time_ns, struct.pack(">BQ", number, amount) + texts(name))
                            for (number, name), amount in costs.items()) + record(165, time_ns, b"\0" * 8)


def collected(begin_s, end_s, allocated):
    """Returns a garbage collection, and how much was allocated before it."""
    begin, end = int(begin_s * 10**9), int(end_s * 10**9)
    return block(record(49, begin, struct.pack(">IQ", 0, allocated)), record(9, begin), record(10, end), capability=0)


def centre(number, label, source):
    """Returns the definition of a cost centre of the module M."""
    return record(161, 2000, struct.pack(">I", number) + texts(label, "M", source) + b"\0")


def timed(tick_ns):
    """Returns the begin of a time profile."""
    return record(168, 2000, struct.pack(">Q", tick_ns))


def tick(number, time_ns=3000):
    """Returns a tick in a cost centre that nothing called."""
    return record(167, time_ns, struct.pack(">IQBI", 0, 1, 1, number))


def running():
    """Returns an event that a capability writes while the program runs."""
    return block(record(9, 3000), capability=0)
