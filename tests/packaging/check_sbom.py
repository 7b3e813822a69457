"""The bill of materials names all that is linked and compiled in; what it does not know is a failure.

    check_sbom.py SOURCE BUILD SCRATCH BINARY...        exit code 77 where BUILD is not of Ninja

Besides: every work of works.toml stands in THIRD_PARTY_NOTICES.md or comes with the system, and a bill
is whole: unique names, relations between what it has, the fields that SPDX 2.3 demands.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SBOM = HERE.parents[1] / "packaging" / "sbom"
sys.path.insert(0, str(SBOM))
import sbom  # noqa: E402  pylint: disable=wrong-import-position

ALIASES = {"Eigen": "Eigen 3"}  # as the notices call them


def expect(holds, what):
    if not holds:
        sys.exit(f"check_sbom: {what}")


def bill(source, build, binaries, works=None, extra=()):
    command = [sys.executable, SBOM / "sbom.py", "--name", "tacet", "--source", source, "--build",
               build, *extra, *(["--works", works] if works else []), *binaries]
    return subprocess.run([str(word) for word in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1735689600"})


def check_whole(text, binaries):
    document = json.loads(text)
    for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        expect(document.get(key), f"the bill has no '{key}'")
    expect(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0",
           "the bill is not of SPDX 2.3")
    names = [package["SPDXID"] for package in document["packages"]]
    expect(len(names) == len(set(names)), f"a name stands twice: {names}")
    for package in document["packages"]:
        for key in ("name", "SPDXID", "versionInfo", "downloadLocation", "licenseConcluded"):
            expect(package.get(key), f"{package} has no '{key}'")
        expect(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), f"{package['SPDXID']}")
        expect(package["versionInfo"] != "unknown", f"no version of {package['name']} was found")
    for relation in document["relationships"]:
        for end in ("spdxElementId", "relatedSpdxElement"):
            expect(relation[end] in [*names, "SPDXRef-DOCUMENT"], f"{relation} names nothing")
    described = [relation for relation in document["relationships"]
                 if relation["relationshipType"] == "DESCRIBES"]
    expect(len(described) == 1, "the bill describes more or less than one thing")
    loaded = {relation["relatedSpdxElement"] for relation in document["relationships"]
              if relation["relationshipType"] == "DYNAMIC_LINK"}
    # As the dynamic linker counts them, without the script's own table.
    count = len({word.split("-")[0].split(".so")[0] for binary in binaries for word in re.findall(
        r"^\s*(lib\S+) =>", subprocess.run(["ldd", binary], check=True, text=True,
                                           stdout=subprocess.PIPE).stdout, re.MULTILINE)})
    expect(loaded and len(loaded) <= count, f"{len(loaded)} works for {count} libraries")


def check_faults(source, build, binaries, works, scratch):
    """Without a work, and with a licence that is in no list, there is no bill."""
    planted = scratch / "works.toml"
    for name, what in (("OpenSSL", "libcrypto|libssl|openssl"), ("Boost", "boost"),
                       ("nlohmann-json", "nlohmann")):
        text = re.sub(rf'\[\[work\]\]\nname = "{re.escape(name)}"\n(?:.+\n)*', "", works)
        expect(text != works, f"works.toml has no {name}")
        planted.write_text(text, encoding="utf-8")
        done = bill(source, build, binaries, planted)
        expect(done.returncode == 1 and re.search(what, done.stderr),
               f"without {name} the bill was written: {done.stderr}")
    text = re.sub(r'(name = "SQLite"\nlicence = )".*"', r'\1"GPL-3.0-only"', works)
    planted.write_text(text, encoding="utf-8")
    done = bill(source, build, binaries, planted)
    expect(done.returncode == 1 and "SQLite has the licence GPL-3.0-only" in done.stderr,
           f"a licence outside the list was let through: {done.stderr}")


def check_home(works, scratch):
    """The address of pyproject.toml is that of the bill, and without one there is none."""
    for urls, home in (("", None), ('[project.urls]\nHomepage = "https://tacet.example"\n', "https://tacet.example")):
        (scratch / "pyproject.toml").write_text(f'[project]\nname = "tacet"\n{urls}', encoding="utf-8")
        expect(sbom.home_of(scratch) == home, f"the home is {sbom.home_of(scratch)}, not {home}")
        first = sbom.document("tacet", "1.0", sbom.Bill(tomllib.loads(works)), home)["packages"][0]
        expect(first.get("homepage") == home, f"the bill has the home {first.get('homepage')}, not {home}")


def check_notices(source, works):
    notices = (source / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8")
    for work in tomllib.loads(works)["work"]:
        if not (work.get("system") or work.get("interface")):
            expect(ALIASES.get(work["name"], work["name"]) in notices,
                   f"THIRD_PARTY_NOTICES.md does not name {work['name']}")


def main(source, build, scratch, *binaries):
    source, scratch = pathlib.Path(source), pathlib.Path(scratch)
    if not (pathlib.Path(build) / ".ninja_deps").is_file():
        print("the build is not of Ninja: left out")
        return 77
    scratch.mkdir(parents=True, exist_ok=True)
    works = (SBOM / "works.toml").read_text(encoding="utf-8")
    done = bill(source, build, binaries)
    expect(done.returncode == 0, done.stderr)
    expect(bill(source, build, binaries).stdout == done.stdout, "two bills differ")
    check_whole(done.stdout, binaries)
    check_faults(source, build, binaries, works, scratch)
    check_notices(source, works)
    check_home(works, scratch)
    print(f"{len(json.loads(done.stdout)['packages'])} works in the bill of materials")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
