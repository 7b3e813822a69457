"""A wheel as it is handed out: small, quick to import, described, with its bill of materials.

    check_wheel.py WHEEL PYTHON...      PYTHON: of environments where the wheel is installed

What is asked of the wheel: at most 6 MB; a bill of materials that has every library that it carries or has
linked; metadata that `twine check --strict` finds nothing wrong with, where twine is installed; addresses,
where there are any, that lead somewhere; licences; nothing but the package. Of an environment: `import tacet`
takes less than .3 s, the median of five.
"""

import email
import importlib.util
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
import zipfile

MOST_BYTES = 6_000_000
MOST_SECONDS = 0.3


def expect(holds, what):
    if not holds:
        sys.exit(f"check_wheel: {what}")


def check_files(wheel, archive):
    size = wheel.stat().st_size
    expect(size <= MOST_BYTES, f"{wheel.name} has {size} bytes, more than {MOST_BYTES}")
    names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    own = re.compile(r"tacet|tacet\.libs|tacet-[0-9.]+\.dist-info")
    strange = {top for top in tops if not own.fullmatch(top)}
    expect(not strange, f"the wheel has other things than the package: {sorted(strange)}")
    for end in ("/licenses/LICENSE", "/licenses/THIRD_PARTY_NOTICES.md", "tacet/py.typed"):
        expect(any(name.endswith(end) for name in names), f"the wheel has no {end}")
    print(f"the wheel has {size} bytes")


def check_bill(archive):
    names = archive.namelist()
    bills = [name for name in names if name.endswith(".dist-info/sboms/tacet.spdx.json")]
    expect(len(bills) == 1, f"the wheel has {len(bills)} bills of materials")
    bill = json.loads(archive.read(bills[0]))
    expect(bill["spdxVersion"] == "SPDX-2.3", "the bill is not of SPDX 2.3")
    carried = [relation["relatedSpdxElement"] for relation in bill["relationships"]
               if relation["relationshipType"] == "CONTAINS"]
    libraries = {re.sub(r"-[0-9a-f]{8}|\.so.*", "", pathlib.PurePath(name).name) for name in names
                 if name.startswith("tacet.libs/")}
    # OpenSSL is two libraries of one work.
    expect(len(carried) >= len(libraries - {"libssl"}) > 0,
           f"the wheel carries {sorted(libraries)}, the bill {sorted(carried)}")
    works = {package["name"] for package in bill["packages"]}
    expect({"tacet", "OpenSSL", "SQLite", "Eigen", "nanobind"} <= works, f"the bill has only {sorted(works)}")
    expect("CLI11" not in works, "the bill has what only the command line consists of")
    # Headers of a Python that no package of the distribution has brought.
    unknown = {package["name"] for package in bill["packages"] if package["versionInfo"] == "unknown"}
    expect(unknown <= {"Python"}, f"works of the bill have no version: {sorted(unknown)}")
    linked = {relation["relatedSpdxElement"] for relation in bill["relationships"]
              if relation["relationshipType"] == "STATIC_LINK"}
    for name in ("OpenSSL", "SQLite"):
        expect(f"SPDXRef-{name}" in {*linked, *carried}, f"the bill does not say that the wheel has {name} inside")
    print(f"the bill of materials has {len(works)} works, {len(carried)} of them carried")


def check_metadata(wheel, archive):
    name, = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    facts = email.message_from_bytes(archive.read(name))
    for key in ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Keywords",
                "Description-Content-Type"):
        expect(facts[key], f"the metadata have no {key}")
    expect(len(facts.get_all("Classifier", [])) > 5, "the metadata have few classifiers")
    expect("tacet" in facts.get_payload(), "the metadata have no description")
    for line in facts.get_all("Project-URL", []):
        label, _, address = line.partition(", ")
        expect(re.fullmatch(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/\S*)?", address)
               and not re.search(r"//([^/]*\.)?(example|invalid|localhost|test)\b", address),
               f"the address '{address}' of {label} leads nowhere")
    if importlib.util.find_spec("twine") is None:
        print("without twine the description is not rendered")
        return
    done = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, f"twine finds faults:\n{done.stdout}")
    print("twine finds no fault")


def check_import(python):
    times = []
    for _ in range(6):
        started = time.perf_counter()
        subprocess.run([python, "-c", "import tacet"], check=True, cwd="/")
        times.append(time.perf_counter() - started)
    seconds = statistics.median(times[1:])  # the first one reads the disk
    print(f"{python} imports tacet in {seconds:.3f} s")
    expect(seconds < MOST_SECONDS, f"import tacet takes {seconds:.3f} s")


def main(wheel, *pythons):
    wheel = pathlib.Path(wheel)
    with zipfile.ZipFile(wheel) as archive:
        check_files(wheel, archive)
        check_bill(archive)
        check_metadata(wheel, archive)
    for python in pythons:
        check_import(python)


if __name__ == "__main__":
    main(*sys.argv[1:])
