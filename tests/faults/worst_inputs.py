"""Inputs that need as much memory and time as their format allows: worst_inputs.py FOLDER [BYTES].

Each is about BYTES long (a million), and not compressed. They have deep stacks, a long text that many
stacks use, many short names, many small samples, or numbers at the end of their range."""

import os
import struct
import sys

HUGE = 2**63 - 1
INPUTS = {}


def worst(extension):
    def add(function):
        INPUTS[function.__name__.replace("_", "-") + extension] = function
        return function
    return add


def fill(n_bytes, head, piece, tail=""):
    """The text head + piece(0) + piece(1) ... + tail, which is as long as fits."""
    parts, left, i = [head], n_bytes - len(head) - len(tail), 0
    while True:
        part = piece(i)
        if len(part) > left:
            return ("".join(parts) + tail).encode()
        parts.append(part)
        left -= len(part)
        i += 1


def short(i):
    """Distinct names, the shortest first."""
    digits = "abcdefghijklmnopqrstuvwxyz"
    text = digits[i % 26]
    while i >= 26:
        i = i // 26 - 1
        text += digits[i % 26]
    return text


# ---- .hp ----

HP = 'JOB "j"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
BY_STACK = HP.replace('"j"', '"j, bands by call stack"')


@worst(".hp")
def hp_names(n):
    return fill(n, HP + "BEGIN_SAMPLE 0\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\n", lambda i: f"{short(i)}\t1\n", "END_SAMPLE 1\n")


@worst(".hp")
def hp_samples(n):
    return fill(n, HP, lambda i: f"BEGIN_SAMPLE {i}\n{short(i)}\t{HUGE}\nEND_SAMPLE {i}\n")


@worst(".hp")
def hp_long_names(n):
    return fill(n, HP + "BEGIN_SAMPLE 0\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\n", lambda i: short(i) + "m" * (n // 4) + "\t1\n", "END_SAMPLE 1\n")


@worst(".hp")
def hp_half_and_half(n):
    names = fill(n // 2, HP + "BEGIN_SAMPLE 0\n", lambda i: f"{short(i)}\t1\n", "END_SAMPLE 0\n")
    return names + fill(n // 2, "", lambda i: f"BEGIN_SAMPLE {i + 1}\na\t1\nEND_SAMPLE {i + 1}\n")


@worst(".hp")
def hp_deep_stack(n):
    return fill(n, BY_STACK + "BEGIN_SAMPLE 0\n(1)m", lambda i: "/a", "\t1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n")


# ---- Tables ----


@worst(".csv")
def wide_square(n):
    side = int((n / 4) ** 0.5)
    return fill(n, "time," + ",".join(short(i) for i in range(side)) + "\n",
                lambda i: f"{i}" + ",1" * side + "\n")


@worst(".csv")
def tidy_names(n):
    return fill(n, "time,name,value\n", lambda i: f"0,{short(i)},1\n")


# ---- .prof ----

def prof_json(centres, tree):
    return ('{"program":"p","arguments":["p"],"rts_arguments":[],"end_time":"t","initial_capabilities":1,'
            '"total_time":1,"total_ticks":1000,"tick_interval":1000,"total_alloc":1000,'
            f'"cost_centres":[{centres}],"profile":' + tree)


def centre(number, label):
    return f'{{"id":{number},"label":"{label}","module":"M","src_loc":"s","is_caf":false}}'


@worst(".prof")
def prof_json_deep(n):
    node = '{"id":1,"entries":1,"alloc":1,"ticks":1,"children":['
    depth = 1000
    return fill(n, prof_json(centre(1, "a" * (n // 2)), node * depth + '{"id":1,"entries":1,"alloc":1,"ticks":1,"children":[]}'),
                lambda i: ',{"id":1,"ticks":1,"children":[]}', "]}" * depth + "}")


# ---- massif, DHAT ----

MASSIF = "desc: --\ncmd: p\ntime_unit: i\n"


def massif_head(time, heap):
    return f"#-----------\nsnapshot={time}\n#-----------\ntime={time}\nmem_heap_B={heap}\nmem_heap_extra_B=0\nmem_stacks_B=0\n"


@worst(".massif")
def massif_deep(n):
    depth = int((2 * n) ** 0.5) - 30
    lines = [" " * i + f"n{int(i < depth)}: {depth + 1 - i} f{i}\n" for i in range(depth + 1)]
    return (MASSIF + massif_head(0, depth + 1) + "heap_tree=detailed\n" + "".join(lines)).encode()


@worst(".massif")
def massif_long_caller(n):
    children = n // 2 // 14
    head = MASSIF + massif_head(0, HUGE) + f"heap_tree=detailed\nn1: {HUGE} (heap)\n n{children}: {HUGE} 0x1: "
    return (head + "m" * (n // 2) + " (m.c:1)\n" + "".join(f"  n0: 1 {short(i)}\n" for i in range(children))).encode()


DHAT = '{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs","Mtu":"Minstr","cmd":"p","pid":1,"te":2,"tg":1,"pps":['


@worst(".dhat")
def dhat_long_name(n):
    places = (n // 2) // 30
    table = ",".join(['"[root]"', '"0x1: ' + "m" * (n // 3) + ' (m.c:1)"'])
    return fill(n, DHAT + '{"gb":1,"eb":1,"fs":[1]}', lambda i: f',{{"gb":1,"eb":1,"fs":[{i + 2},1]}}' if i < places else " " * n,
                f'],"ftbl":[{table}' + "".join(f',"{short(i)}"' for i in range(places)) + "]}")


@worst(".dhat")
def dhat_long_name_deep(n):
    table = '"[root]","0x1: ' + "m" * (n // 2) + ' (m.c:1)"'
    return fill(n, DHAT + '{"gb":1,"eb":1,"fs":[1', lambda i: ",1", f']}}],"ftbl":[{table}]}}')


# ---- heaptrack ----

TRACK = "v 10500 3\nX p\nI 1000 100000\n"


def text(string):
    return f"s {len(string):x} {string}\n"


@worst(".heaptrack")
def heaptrack_long_name(n):
    head = TRACK + text("m" * (n // 2)) + "i 1 0 1\nt 1 0\n"
    return fill(n, head, lambda i: f"i {i:x}\nt {i + 2:x} 1\na 1 {i + 2:x}\n+ {i:x}\n", "c 1\n")


@worst(".heaptrack")
def heaptrack_inlined(n):
    head = TRACK + text("f") + "i 1 0" + " 1 1 1" * (n // 12) + "\n"
    return fill(n, head, lambda i: f"t 1 {i:x}\na 1 {i + 1:x}\n+ {i:x}\n", "c 1\n")


@worst(".heaptrack")
def heaptrack_samples(n):
    names = fill(n // 2, TRACK + text("f") + "i 1 0 1\n", lambda i: f"i {i:x}\nt {i + 2:x} 0\na 1 {i + 1:x}\n+ {i:x}\n").decode()
    return fill(n, names, lambda i: f"c {i:x}\n")


# ---- Heap profiles of gperftools and jemalloc ----

MAPS = "\nMAPPED_LIBRARIES:\n"


@worst(".heap")
def heap_text_long_module(n):
    maps = MAPS + "00001000-10000000 r-xp 00000000 00:00 1 /" + "m" * (n // 2) + "\n"
    return fill(n, "heap profile: 1: 1 [ 1: 1] @ heapprofile\n", lambda i: f"1: 1 [ 1: 1] @ 0x{i + 4096:x} 0x2000\n", maps)


@worst(".heap")
def heap_text_mappings(n):
    maps = MAPS + "".join(f"{i:x}-{i + 1:x} r-xp 0 0 0 /m\n" for i in range(n // 60))
    return fill(n, "heap profile: 1: 1 [ 1: 1] @ heapprofile\n", lambda i: f"1: 1 [ 1: 1] @ 0x{i + 2**30:x}\n", maps)


@worst(".heap")
def jemalloc_stacks(n):
    return fill(n, "heap_v2/524288\n", lambda i: f"@ 0x{i:x} 0x1\n t*: 1: {HUGE} [0: 0]\n", MAPS)


# ---- pprof ----

def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def number_field(field, number):
    return varint(field << 3) + varint(number)


def bytes_field(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def pprof_head(*texts):
    strings = [b"", b"space", b"bytes"] + list(texts)
    return bytes_field(1, number_field(1, 1) + number_field(2, 2)) + b"".join(bytes_field(6, s) for s in strings)


def pprof_sample(places, value=1):
    return bytes_field(2, bytes_field(1, b"".join(map(varint, places))) + bytes_field(2, varint(value)))


def pprof_function(number, name):
    return bytes_field(5, number_field(1, number) + number_field(2, name))


def pprof_place(number, functions):
    return bytes_field(4, number_field(1, number) + b"".join(bytes_field(4, number_field(1, f) + number_field(2, 1)) for f in functions))


@worst(".pb")
def pprof_long_name(n):
    data = [pprof_head(b"m" * (n // 2)), pprof_function(1, 3), pprof_place(1, [1])]
    for i in range(n // 36):
        data += [pprof_place(i + 2, []), pprof_sample([i + 2, 1], HUGE)]
    return b"".join(data)


@worst(".pb")
def pprof_long_file(n):
    function = bytes_field(5, number_field(1, 1) + number_field(2, 0) + number_field(4, 3))
    data = [pprof_head(b"m" * (n // 3)), function]
    for i in range(n // 32):
        line = number_field(1, 1) + number_field(2, i + 1)
        data += [bytes_field(4, number_field(1, i + 1) + bytes_field(4, line)), pprof_sample([i + 1])]
    return b"".join(data)


@worst(".pb")
def pprof_lines(n):
    data = [pprof_head(b"m"), pprof_function(1, 3), pprof_place(1, [1] * (n // 16))]
    for i in range(n // 40):
        data += [pprof_place(i + 2, []), pprof_sample([i + 2, 1])]
    return b"".join(data)


# ---- V8 ----


def call(name, url, children=None):
    end = "" if children is None else ',"children":['
    return f'{{"callFrame":{{"functionName":"{name}","url":"{url}"}},"selfSize":1{end}'


@worst(".heapprofile")
def heapprofile_deep(n):
    depth = 1990
    head = '{"head":' + call("r", "", 1) + "".join(call("", "m" * (n // 2 if i == 0 else 0), 1) + "" for i in range(depth))
    return fill(n, head + '{"selfSize":1}', lambda i: ',{"selfSize":1}', "]}" * (depth + 1) + "}")


@worst(".heapprofile")
def heapprofile_long_place(n):
    return fill(n, '{"head":{"selfSize":0,"children":[' + call("f", "m" * (n // 2), 1) + call("g", "") + "}",
                lambda i: f',{{"callFrame":{{"functionName":"{short(i)}"}},"selfSize":1}}', "]}]}}")


def snapshot(fields, types, nodes, edges, strings):
    n_nodes, n_edges = nodes.count(",") // len(fields) + 1, (edges.count(",") + 1) // 3 if edges else 0
    quoted = ",".join(f'"{f}"' for f in fields)
    return (f'{{"snapshot":{{"meta":{{"node_fields":[{quoted}],"node_types":[{types}],"edge_fields":["type","name_or_index","to_node"],'
            '"edge_types":[["context","element"],"string_or_number","node"]},'
            f'"node_count":{n_nodes},"edge_count":{n_edges}}},"nodes":[{nodes}],"edges":[{edges}],"strings":[{strings}]}}').encode()


FIELDS = ["type", "name", "id", "self_size", "edge_count"]
TYPES = '["native","synthetic"],"string","number","number","number"'


@worst(".heapsnapshot")
def snapshot_chain(n):
    count = n // 25
    nodes = ",".join(["0,0,0,1,1"] * (count - 1) + ["0,0,0,1,0"])
    return snapshot(FIELDS, TYPES, nodes, ",".join(f"1,0,{5 * i + 5}" for i in range(count - 1)), '""')


@worst(".heapsnapshot")
def snapshot_edges(n):
    count = n // 6 - 100
    return snapshot(FIELDS, TYPES, f"0,0,0,1,{count},0,0,0,1,0", ",".join(["1,0,5"] * count), '""')


@worst(".heapsnapshot")
def snapshot_names(n):
    count = n // 24
    nodes = ",".join([f"0,0,0,1,{count - 1}"] + [f"0,{i},0,1,0" for i in range(1, count)])
    return snapshot(FIELDS, TYPES, nodes, ",".join(f"1,0,{5 * i}" for i in range(1, count)), ",".join(f'"{short(i)}"' for i in range(count)))


# ---- Event logs ----

LOG_TYPES = [(18, 14), (30, -1), (58, -1), (160, -1), (161, -1), (162, 8), (163, -1), (164, -1), (165, 8), (166, -1),
             (167, 16), (210, -1), (211, 32), (1000, -1), (1003, 8)]


def log_head():
    out = b"hdrbhetb"
    for number, size in LOG_TYPES:
        out += b"etb\0" + struct.pack(">Hhi", number, size, 0) + struct.pack(">i", 0) + b"ete\0"
    return out + b"hetehdredatb"


def record(number, payload, time=0, sizes=dict(LOG_TYPES)):
    length = struct.pack(">H", len(payload)) if sizes[number] < 0 else b""
    return struct.pack(">HQ", number, time) + length + payload


def log_begin(breakdown):
    return record(160, struct.pack(">BQI", 0, 1000, breakdown) + b"\0" * 7)


def log(n, parts, piece, last=b""):
    data = [log_head()] + parts
    left = n - sum(map(len, data)) - len(last) - 2
    i = 0
    while len(part := piece(i)) <= left:
        data.append(part)
        left -= len(part)
        i += 1
    return b"".join(data) + last + b"\xff\xff"


def log_sample(time, costs):
    return record(162, struct.pack(">Q", time), time) + costs + record(165, struct.pack(">Q", time), time)


def log_centre(number, label, module=b"M", place=b"s"):
    return record(161, struct.pack(">I", number) + label + b"\0" + module + b"\0" + place + b"\0\0")


def log_stack(amount, numbers):
    return record(163, struct.pack(">BQB", 0, amount, len(numbers)) + struct.pack(f">{len(numbers)}I", *numbers))


@worst(".eventlog")
def log_long_names(n):
    centres = [log_centre(i + 1, b"m" * 60000) for i in range(8)]
    return log(n, [log_begin(1)] + centres, lambda i: log_sample(i, log_stack(1, [1 + i // 8**k % 8 for k in range(250)])))


@worst(".eventlog")
def log_few_long_names(n):
    """Each name has a band, with all of its frames."""
    return log_long_names(n // 2)


@worst(".eventlog")
def log_calls(n):
    centres = [log_centre(1, b"m" * 60000), log_centre(2, b"n", b"M", b"p" * 60000), record(1003, struct.pack(">II", 2, 1))]
    return log(n, [log_begin(1)] + centres,
               lambda i: log_sample(i, log_stack(1, [1 + (i >> k) % 2 for k in range(250)])))


@worst(".eventlog")
def log_labels(n):
    return log(n, [log_begin(4), record(162, struct.pack(">Q", 0))],
               lambda i: record(164, struct.pack(">BQ", 0, HUGE) + short(i).encode() + b"\0"), record(165, struct.pack(">Q", 0)))


@worst(".eventlog")
def log_changes(n):
    names = b"".join(record(164, struct.pack(">BQ", 0, 1) + short(i).encode() + b"\0") for i in range(n // 2 // 24))
    first = record(162, struct.pack(">Q", 0)) + record(1000, b"\0") + names + record(165, struct.pack(">Q", 0))
    return log(n, [log_begin(4), first], lambda i: log_sample(i + 1, record(1000, b"\0", i + 1)))


@worst(".eventlog")
def log_long_callers(n):
    centres = [log_centre(0, b"m" * 60000)]
    return log(n, [log_begin(1)] + centres + [record(162, struct.pack(">Q", 0))],
               lambda i: log_stack(HUGE, [i + 1, 0]), record(165, struct.pack(">Q", 0)))


# ---- Bins, coverage ----


@worst(".bins")
def bins(n):
    count = n // 16 - 8
    return b"hpf.bins" + struct.pack("<6Q", 2, 1, 10**7, 5, count, 0) + b"".join(struct.pack("<2Q", 2**40 + 97 * i, HUGE) for i in range(count))


@worst(".tix")
def tix_counts(n):
    return fill(n, f'Tix [TixModule "M" 1 {n // 2} [1', lambda i: ",1", "]]")


@worst(".tix")
def tix_modules(n):
    return fill(n, 'Tix [TixModule "M" 1 1 [1]', lambda i: f',TixModule "{short(i)}" 1 1 [{HUGE}]', "]")


if __name__ == "__main__":
    for name, make in INPUTS.items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(make(int(sys.argv[2]) if len(sys.argv) > 2 else 10**6))
