#!/usr/bin/env python3
"""A bill of materials in SPDX 2.3 of what was built: every library that is loaded, every archive that
is linked and every header that is compiled in has to belong to a work of works.toml.

    sbom.py --name NAME --source SOURCE [--build BUILD]... [--without PART] [--output FILE] BINARY...

BINARY are programs and shared libraries; a wheel is its files. BUILD are folders of Ninja whose
objects they are made of, without those of tests and those whose name has PART. Exit code 1 for what no work owns, and for a
licence that is not in its list. The same build gives the same text; SOURCE_DATE_EPOCH dates it.
"""

import argparse
import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TESTS = re.compile(r"(_test\.dir|/CMakeFiles/tacet_test_support|/tests/|^tests/|^bench/|^fuzz/|gtest"
                   r"|tacet_precompiled_test)")
GRAFTED = re.compile(r"-[0-9a-f]{8}(?=\.so)")  # how auditwheel names its copies


class Fault(Exception):
    """What the bill cannot say, in words."""


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True).stdout


def library_name(file_name):
    """libcrypto of libcrypto.so.3, and of libcrypto-0a1b2c3d.so.3."""
    return re.sub(r"\.(so|a)\b.*", "", GRAFTED.sub("", file_name))


def needed_by(binary):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", binary))


def loaded_from(binary):
    """{name of a library: path} as the loader finds them here."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", binary), re.MULTILINE))


def owners(paths):
    """{path: package of the distribution} of files; what no package owns is left out."""
    names = {}
    for path in paths:
        real = os.path.realpath(path)
        for name in (str(path), real, real.removeprefix("/usr")):
            names.setdefault(name, path)
    done = subprocess.run(["dpkg-query", "-S", *names], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    found = re.findall(r"^([^:,\s]+)[^/]*: (/.*)$", done.stdout, re.MULTILINE)
    return {names[name]: package for package, name in found if name in names}


@functools.cache
def version(path):
    """Of the package of the distribution, or of Python, that a file belongs to; None: unknown."""
    if "/site-packages/" in str(path):
        return version_of_python(str(path))
    try:
        package = owners([path])[path]
        return run("dpkg-query", "-W", "-f", "${Version}\n", package).split("\n")[0]
    except (OSError, KeyError, subprocess.CalledProcessError):
        return None


def included(build, source, without):
    """Every file outside the sources that an object of the build includes."""
    found, wanted = set(), False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            output = line.split(":")[0]
            wanted = ":" in line and not TESTS.search(output) and not (without and without in output)
        elif wanted:
            path = os.path.normpath(os.path.join(build, line.strip()))
            own = path.startswith((f"{source}/", f"{build}/"))
            if not own or "/site-packages/" in path:
                found.add(path)
    return found


def archives(build, source):
    """Every archive outside the build that is part of a link."""
    found = set()
    for line in run("ninja", "-C", build, "-t", "commands").splitlines():
        output = re.search(r" -o (\S+)", line)
        if output and not re.search(r"_test$|^fuzz/|^bench/", output.group(1)):
            found |= {word for word in line.split() if word.endswith(".a") and word.startswith("/")
                      and not word.startswith((f"{source}/", f"{build}/"))}
    return found


class Bill:
    """Which works something consists of, and how it uses them."""

    def __init__(self, works):
        self.allowed = {False: set(works["allowed"]), True: set(works["system"])}
        self.works, self.used = works["work"], {}

    def add(self, work, how, path):
        entry = self.used.setdefault(work["name"], {"work": work, "how": {}})
        entry["how"].setdefault(how, path)

    def add_library(self, file_name, how, path):
        name = library_name(file_name)
        for work in self.works:
            if name in work.get("libraries", []):
                self.add(work, how, path)
                return
        raise Fault(f"{file_name} is linked, but no work in works.toml has a library '{name}'")

    def add_headers(self, paths):
        others = []
        for path in paths:
            for work in self.works:
                if any(f"/{start}" in path for start in work.get("headers", [])):
                    self.add(work, "header", path)
                    break
            else:
                others.append(path)
        owned = owners(others) if others else {}
        for path in others:
            package = owned.get(path)
            for work in self.works:
                if package in work.get("owners", []):
                    self.add(work, "header", path)
                    break
            else:
                raise Fault(f"{path} is compiled in, but no work in works.toml has it "
                            f"(its package: {package})")

    def check_licences(self):
        for name, entry in sorted(self.used.items()):
            work = entry["work"]
            if work.get("interface"):
                continue
            if work["licence"] not in self.allowed[work.get("system", False)]:
                raise Fault(f"{name} has the licence {work['licence']}, which is not in the list")


def version_of_python(path):
    folder, _, rest = path.partition("/site-packages/")
    package = rest.split("/")[0]
    for found in sorted((pathlib.Path(folder) / "site-packages").glob(f"{package}-*.dist-info")):
        return found.name.removeprefix(f"{package}-").removesuffix(".dist-info")
    return None


RELATIONS = {"loaded": "DYNAMIC_LINK", "carried": "CONTAINS", "archive": "STATIC_LINK",
             "header": "STATIC_LINK"}


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def document(name, own_version, bill, home=None):
    """The bill as SPDX 2.3 in JSON; `home` is the project's address."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or \
        int(datetime.datetime.now().timestamp())
    made = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    packages = [package(name, own_version, "Apache-2.0", "the program or library itself")]
    if home:
        packages[0]["homepage"] = home
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name))]
    for title, entry in sorted(bill.used.items()):
        work = entry["work"]
        uses = ", ".join(sorted(entry["how"]))
        versions = {found for found in map(version, entry["how"].values()) if found}
        packages.append(package(title, ", ".join(sorted(versions)),
                                work["licence"], f"how it is used: {uses}"))
        for kind in sorted({RELATIONS[how] for how in entry["how"]}):
            relations.append(relation(identifier(name), kind, identifier(title)))
    body = {"packages": packages, "relationships": relations}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"{name}-{own_version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{own_version}-{digest}",
            "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: packaging/sbom/sbom.py of tacet"]}, **body}


def package(name, number, licence, comment):
    return {"name": name, "SPDXID": identifier(name), "versionInfo": number or "unknown",
            "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "comment": comment}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def bill_of(works, source, builds, without, binaries):
    bill = Bill(works)
    carried = {binary.name for binary in binaries}
    for binary in binaries:
        if GRAFTED.search(binary.name):
            bill.add_library(binary.name, "carried", binary)
        found = loaded_from(binary)
        for needed in needed_by(binary):
            if needed not in carried:
                bill.add_library(needed, "loaded", found.get(needed, needed))
    for build in builds:
        bill.add_headers(sorted(included(build, source, without)))
        for path in sorted(archives(build, source)):
            bill.add_library(pathlib.Path(path).name, "archive", path)
    bill.check_licences()
    return bill


def version_of(source):
    text = (pathlib.Path(source) / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(tacet VERSION ([0-9.]+)", text).group(1)


def home_of(source):
    """What [project.urls] of pyproject.toml says; None as long as the project has no address."""
    text = (pathlib.Path(source) / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"].get("urls", {}).get("Homepage")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", action="append", default=[])
    parser.add_argument("--without")
    parser.add_argument("--works", default=str(HERE / "works.toml"))
    parser.add_argument("--output")
    parser.add_argument("binaries", nargs="+", type=pathlib.Path)
    asked = parser.parse_args(arguments)
    works = tomllib.loads(pathlib.Path(asked.works).read_text(encoding="utf-8"))
    try:
        source = os.path.realpath(asked.source)
        bill = bill_of(works, source, [os.path.realpath(build) for build in asked.build],
                       asked.without, asked.binaries)
    except Fault as fault:
        print(f"sbom: {fault}", file=sys.stderr)
        return 1
    text = json.dumps(document(asked.name, version_of(source), bill, home_of(source)), indent=1) + "\n"
    if asked.output:
        pathlib.Path(asked.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
