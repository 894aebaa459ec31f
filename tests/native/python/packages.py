"""Many small holders in three packages, and a large one of the program's own: each class holds the values of its attribute."""
import sys
import types

MODULES = {}
for package in "alpha", "beta", "gamma":
    for number in range(100):
        module = types.ModuleType(f"{package}.part{number}")
        exec("class Holder:\n    pass\n", module.__dict__)
        module.Holder.kept = [bytes(900) for _ in range(9)]
        sys.modules[module.__name__] = module
MINE = [bytes(900) for _ in range(2000)]
print("ready", flush=True)
sys.stdin.read()
