"""The worst inputs of each format, a million bytes that are not compressed, need no more memory than
docs/formats/README.md states, in addition to what a small input needs: input_memory.py CENSUS [NAME | PART N_PARTS],
with the inputs that have NAME in their names, or with every N_PARTS-th one."""

import os
import subprocess
import sys
import tempfile

MOST_MB = 64
MOST_MB_OF_NAMES = 96  # of formats in which a name takes seven bytes
FORMATS_OF_NAMES = {".hp", ".csv", ".eventlog"}

SMALL = 'JOB "j"\nDATE "d"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n' + "".join(
    f"BEGIN_SAMPLE {i}\na\t{i}\nEND_SAMPLE {i}\n" for i in range(9))
REPORT, PDF, HTML = ["report"], ["plot", "-o", "out.pdf"], ["plot", "-o", "out.html"]
COMMANDS = {
    ".hp": [REPORT, PDF, HTML],
    ".prof": [REPORT],
    ".bins": [REPORT],
    ".heapsnapshot": [REPORT, HTML],
    ".tix": [["hpc", "sum", "--output=out.tix"]],
}


def run(arguments):
    """Runs a command, and returns its status, its peak of memory in MB, and its message. The peak of this
    process, which is small, is the least that can be measured."""
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    message = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss / 1024, message


def main():
    census, *words = os.path.abspath(sys.argv[1]), *sys.argv[2:]
    wanted = words[0] if len(words) == 1 else ""
    part, n_parts = map(int, words) if len(words) == 2 else (1, 1)
    worst_inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worst_inputs.py")
    n_run, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("inputs")
        subprocess.run([sys.executable, worst_inputs, "inputs"], check=True)
        with open("small.hp", "w", encoding="ascii") as file:
            file.write(SMALL)
        small_mb = {command[-1]: run([census, *command, "small.hp"])[1] for command in (REPORT, PDF, HTML)}
        for name in sorted(os.listdir("inputs"))[part - 1::n_parts]:
            extension = os.path.splitext(name)[1]
            for command in COMMANDS.get(extension, [REPORT, HTML]) if wanted in name else []:
                status, peak_mb, message = run([census, *command, "inputs/" + name])
                more_mb = peak_mb - small_mb.get(command[-1], small_mb["report"])
                most_mb = MOST_MB_OF_NAMES if extension in FORMATS_OF_NAMES else MOST_MB
                result = f"{name}: census {' '.join(command)}: {more_mb:.0f} of {most_mb} MB"
                n_run += 1
                print(result)
                if status != 0 or more_mb > most_mb:
                    failures.append(f"{result}, status {status} {message[:200]}")
        os.chdir("/")
    print("\n".join(["", *failures]))
    sys.exit(n_run == 0 or len(failures) > 0)


if __name__ == "__main__":
    main()
