"""What the shared library shows, and that C and Python's ctypes can use it.

    c_library.py LIBRARY SOURCE SCRATCH C_COMPILER

The symbols are those of c_symbols.txt, no one more: a function that goes or changes its arguments is
a change of SOVERSION. The library is at most 8 MB without its symbols. examples/c is compiled as C99
without a warning and run; the same is done from Python, with wrong calls among it.
"""

import ctypes
import json
import pathlib
import shutil
import subprocess
import sys

USAGE, DATA, BUDGET = 2, 3, 4
MOST_BYTES = 8_000_000

SCHEMA = b"""
public_row_count = 300
[target]
column = "ill"
positive = ["yes"]
negative = ["no"]
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
"""


def run(*command):
    result = subprocess.run([str(word) for word in command], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{result.stdout}")
    return result.stdout


def check(holds, what):
    if not holds:
        sys.exit(what)


def check_symbols(library, listed):
    shown = sorted({line.split()[-1].split("@")[0]
                    for line in run("nm", "-D", "--defined-only", library).splitlines()})
    check(shown == listed.read_text().split(), f"the library shows {shown}, not what {listed} says")


def check_size(library, scratch):
    stripped = scratch / "stripped.so"
    run("strip", "-o", stripped, library)
    size = stripped.stat().st_size
    check(size <= MOST_BYTES, f"the library takes {size} bytes, more than {MOST_BYTES}")
    print(f"{size} bytes stripped")


def check_c(library, source, scratch, compiler):
    for name, expected in (("main", ("100 sums: epsilon 1.", '"algorithm"')),
                           ("budget", ("interrupted: cancelled", "spent: epsilon 2.5"))):
        program = scratch / name
        run(compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
            f"-I{source / 'tacet' / 'capi'}", source / "examples" / "c" / f"{name}.c", library,
            f"-Wl,-rpath,{library.parent}", "-o", program)
        output = run(program)
        check(all(words in output for words in expected), output)


def check_python(path):
    library = ctypes.CDLL(str(path))
    library.tacet_last_error.restype = ctypes.c_char_p
    library.tacet_error_name.restype = ctypes.c_char_p
    number = ctypes.c_uint64

    def made(function, *arguments):
        handle = number(0)
        kind = function(*arguments, ctypes.byref(handle))
        check(kind == 0, library.tacet_last_error())
        return handle

    schema = made(library.tacet_schema_parse, SCHEMA, b"schema")
    options = made(library.tacet_options_new)
    for name, value in ((b"epsilon", b"1"), (b"delta", b"1e-6")):
        check(library.tacet_options_set(options, name, value) == 0, library.tacet_last_error())
    budget = made(library.tacet_budget_new, ctypes.c_double(1.5), ctypes.c_double(1e-5), 0)
    count = 300
    ages = (ctypes.c_double * count)(*[k % 100 for k in range(count)])
    ill = (ctypes.c_char_p * count)(*[b"yes" if k % 100 > 60 else b"no" for k in range(count)])
    table = made(library.tacet_table_new, ctypes.c_size_t(count))
    check(library.tacet_table_numbers(table, b"age", ages, ctypes.c_size_t(count)) == 0, "numbers")
    check(library.tacet_table_texts(table, b"ill", ill, ctypes.c_size_t(count)) == 0, "texts")
    model = made(library.tacet_train_table, schema, options, budget, table)
    out = (ctypes.c_double * count)()
    check(library.tacet_predict_table(model, table, out, ctypes.c_size_t(count)) == 0, "predict")
    check(set(out) <= {0.0, 1.0}, "classes are 0 and 1")
    needed = ctypes.c_size_t(0)
    library.tacet_model_receipt(model, None, ctypes.c_size_t(0), ctypes.byref(needed))
    text = ctypes.create_string_buffer(needed.value)
    check(library.tacet_model_receipt(model, text, needed, None) == 0, "receipt")
    receipt = json.loads(text.value)
    check(receipt["guarantee"]["delta"] == 1e-6, receipt)

    other = number(0)
    wrong = [
        (BUDGET, library.tacet_train_table(schema, options, budget, table, ctypes.byref(other))),
        (USAGE, library.tacet_train_table(schema, options, table, table, ctypes.byref(other))),
        (USAGE, library.tacet_predict_table(model, table, out, ctypes.c_size_t(count - 1))),
        (DATA, library.tacet_schema_parse(b"[", b"mine", ctypes.byref(other))),
        (USAGE, library.tacet_options_set(options, b"epsilom", b"1")),
        (USAGE, library.tacet_free(number(10**15))),
    ]
    for expected, kind in wrong:
        check(kind == expected, f"{library.tacet_error_name(kind)}: {library.tacet_last_error()}")
    check(other.value == 0, "a call that fails leaves its result alone")


def main(library, source, scratch, compiler):
    library, source, scratch = map(pathlib.Path, (library, source, scratch))
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    check_symbols(library, source / "tests" / "c_symbols.txt")
    check_size(library, scratch)
    check_c(library, source, scratch, compiler)
    check_python(library)
    print("C and Python use it")


if __name__ == "__main__":
    main(*sys.argv[1:])
