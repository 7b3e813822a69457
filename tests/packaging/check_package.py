"""Builds the examples the way another project would, and runs them.

    check_package.py install|subdirectory|headers|warnings SOURCE BUILD SCRATCH COMPILER

install:       installs BUILD below SCRATCH and finds the package there, for every example; by pkg-config
               too, also from C, where CMake needs no C++; a project that can do without tacet is told what is
               missing; the installed headers are few, compile together, and include nothing that is
               not installed; what a program takes on the disk
subdirectory:  takes SOURCE into the examples' own build, as static and as shared libraries
headers:       installs, then compiles every installed header as a program of its own
warnings:      compiles the examples without a warning, by every compiler there is
"""

import pathlib
import re
import shutil
import subprocess
import sys


# Complete programs and what they print.
EXAMPLES = (("select", "most wanted: "), ("adaptive", "queries were admitted"),
            ("train_memory", "ill at 20: "), ("release", "mean age: "),
            ("ledger", "once too often: refused"), ("mechanism", "mean wage: "),
            ("train_csv", "(1, 1e-06)-differential privacy"))
ARGUMENTS = {"train_csv": ("data/berkeley1973.csv", "data/schemas/berkeley1973.toml")}
MEASURED = "train_memory"
MOST_BYTES = 5_000_000  # of it, stripped
MAX_HEADERS = 25  # with that of the library for C


def run(*command, cwd=None):
    """Runs a command; its output is shown only when it fails."""
    result = subprocess.run([str(word) for word in command], cwd=cwd, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with exit code {result.returncode}:\n"
                 f"{result.stdout}")
    return result.stdout


def project_version(source):
    text = (source / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(tacet VERSION ([0-9.]+)", text).group(1)


def install(build, scratch):
    prefix = scratch / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


def copy_of_example(name, source, scratch):
    """Outside the tree: nothing but the package may tell the example where tacet is."""
    return shutil.copytree(source / "examples" / name, scratch / name)


def check_output(name, expected, program, source):
    output = run(program, *ARGUMENTS.get(name, ()), cwd=source)
    if expected not in output:
        sys.exit(f"example {name} should have printed '{expected}', but printed:\n{output}")
    print(output, end="")


def build_and_run_examples(examples, source, scratch, compiler, prefix):
    """As folders of one project: what a compiler can do is asked once."""
    for name, _ in examples:
        copy_of_example(name, source, scratch)
    (scratch / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(users LANGUAGES CXX)\n"
        + "".join(f"add_subdirectory({name})\n" for name, _ in examples))
    build = scratch / "build"
    run("cmake", "-S", scratch, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build, "--parallel", "2", "--target", *(name for name, _ in examples))
    for name, expected in examples:
        check_output(name, expected, build / name / name, source)


def build_and_run_example(name, expected, source, scratch, compiler, *options, kind="Debug"):
    example = copy_of_example(name, source, scratch)
    run("cmake", "-S", example, "-B", scratch / f"build-{name}", "-G", "Ninja",
        f"-DCMAKE_BUILD_TYPE={kind}", "-DCMAKE_CXX_FLAGS_DEBUG=",
        f"-DCMAKE_CXX_COMPILER={compiler}", *options)
    run("cmake", "--build", scratch / f"build-{name}", "--target", name, "--parallel", "2")
    check_output(name, expected, scratch / f"build-{name}" / name, source)


def check_program(source, prefix):
    """The installed program works away from its build tree, and says the project's version."""
    output = run(prefix / "bin" / "tacet", "--version", cwd=prefix)
    if project_version(source) not in output:
        sys.exit(f"tacet --version printed:\n{output}")


def missing_headers(include):
    """What headers below a folder include of tacet that is not there: (header, included)."""
    return [(header.relative_to(include).as_posix(), name)
            for header in sorted(include.rglob("*.h"))
            for name in re.findall(r'^#include "([^"]+)"', header.read_text(), re.MULTILINE)
            if not (include / name).is_file()]


def check_headers(prefix, scratch, compiler):
    """Few headers, and nothing installed includes what is not; all of them compile together, as
    pkg-config says."""
    include = prefix / "include"
    headers = sorted(header.relative_to(include).as_posix() for header in include.rglob("*.h"))
    if len(headers) > MAX_HEADERS:
        sys.exit(f"{len(headers)} headers are installed, more than {MAX_HEADERS}: {headers}")
    for header, name in missing_headers(include):
        sys.exit(f"{header} includes {name}, which is not installed")
    planted = shutil.copytree(include, scratch / "planted")
    with open(planted / "tacet/api/model.h", "a", encoding="utf-8") as file:
        file.write('#include "tacet/data/schema/schema.h"\n')
    if missing_headers(planted) != [("tacet/api/model.h", "tacet/data/schema/schema.h")]:
        sys.exit("a header that includes what is not installed was not found")
    unit = scratch / "headers.cc"
    unit.write_text("".join(f'#include "{header}"\n' for header in headers)
                    + "static_assert(TACET_VERSION >= 200);\n" + forbidden())
    run(compiler, "-std=c++20", "-fsyntax-only", *pkg_config(prefix, "--cflags"), unit)
    print(f"{len(headers)} headers compile together")


# What the interface keeps from everybody: to state a bound, or to see what a type holds.
FORBIDDEN = (("api::Sum", "T{}"), ("api::Sum", "T(std::vector<std::int64_t>{1, 2})"),
             ("api::Sum", "std::declval<T>().held_"), ("privacy::BoundedSum", "sizeof(T)"),
             ("api::Plan", "T{}"), ("api::Model", "std::declval<T>().file_"))
ALLOWED = (("privacy::Epsilon", "T(1)"), ("api::Sum", "T(std::declval<optimize::Histogram>())"))


def forbidden():
    """Code that compiles where all that is allowed does, and nothing that is forbidden."""
    lines = ["namespace tacet {"]
    for number, (kind, expression) in enumerate((*ALLOWED, *FORBIDDEN)):
        hoped = "" if number < len(ALLOWED) else "!"
        lines += [f"template <typename T> concept Does{number} = requires {{ {expression}; }};",
                  f"static_assert({hoped}Does{number}<{kind}>);"]
    return "\n".join([*lines, "}"]) + "\n"


def pkg_config(prefix, *what, package="tacet"):
    folder, = (path.parent for path in prefix.rglob("tacet.pc"))
    return run("env", f"PKG_CONFIG_PATH={folder}", "pkg-config", *what, package).split()


def build_by_pkg_config(name, expected, source, scratch, prefix, compiler):
    program = scratch / f"{name}-by-pkg-config"
    run(compiler, "-std=c++20", source / "examples" / name / "main.cc",
        *pkg_config(prefix, "--cflags", "--libs", "--static"), "-o", program)
    if expected not in run(program, cwd=source):
        sys.exit(f"example {name} linked by pkg-config should have printed '{expected}'")


def build_from_c(source, scratch, prefix):
    """The interface in C as pkg-config finds it."""
    library, = prefix.rglob("libtacet.so")
    program = scratch / "c-by-pkg-config"
    run("cc", "-std=c99", source / "examples" / "c" / "main.c",
        *pkg_config(prefix, "--cflags", "--libs", package="tacet-c"),
        f"-Wl,-rpath,{library.parent}", "-o", program)
    if "100 sums: epsilon 1." not in run(program):
        sys.exit("the example in C printed something else")


OPTIONAL = """cmake_minimum_required(VERSION 3.25)
project(optional LANGUAGES {languages})
find_package(tacet QUIET {components})
message(STATUS "found: ${{tacet_FOUND}}; ${{tacet_NOT_FOUND_MESSAGE}}")
"""
FOUND_BY_PACKAGE = ("Threads", "OpenSSL", "ZLIB", "Boost", "Eigen3", "fmt", "nlohmann_json",
                    "tomlplusplus", "SQLite3", "PkgConfig")


def found(project, prefix, languages, components="", options=(), environment=()):
    """What a project is told that can do without tacet."""
    (project / "CMakeLists.txt").write_text(OPTIONAL.format(languages=languages,
                                                            components=components))
    shutil.rmtree(project / "build", ignore_errors=True)
    output = run("env", *environment, "cmake", "-S", project, "-B", project / "build", "-G",
                 "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    return re.search(r"found: ([^;]*); ?(.*)", output).groups()


def check_optional(scratch, prefix):
    """Whatever is missing, find_package says so and the build goes on."""
    project = scratch / "optional"
    project.mkdir()
    assert found(project, prefix, "CXX")[0] == "1"
    missing = [(name, [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON"], []) for name in FOUND_BY_PACKAGE]
    missing.append(("libhwy", [], ["PKG_CONFIG_LIBDIR=/nowhere", "PKG_CONFIG_PATH="]))
    for name, options, environment in missing:
        is_found, why = found(project, prefix, "CXX", options=options, environment=environment)
        if is_found not in ("0", "FALSE", "False") or name not in why:
            sys.exit(f"without {name} tacet_FOUND is '{is_found}', and the message '{why}'")
        assert found(project, prefix, "CXX", "COMPONENTS c", options, environment)[0] == "1"
    assert found(project, prefix, "CXX", "COMPONENTS nonsense")[0] != "1"
    # A module needs what it stands on, and no more.
    for name in ("SQLite3", "ZLIB", "Eigen3", "tomlplusplus"):
        options = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON"]
        assert found(project, prefix, "CXX", "COMPONENTS accounting", options)[0] == "1", name
        assert found(project, prefix, "CXX", "COMPONENTS tacet", options)[0] != "1", name
    for components, expected in (("", "1"), ("COMPONENTS c", "1"), ("COMPONENTS learn", "0")):
        is_found, why = found(project, prefix, "C", components)
        if (is_found == "1") != (expected == "1") or (expected == "0" and "CXX" not in why):
            sys.exit(f"'{components}' in C: tacet_FOUND is '{is_found}', and the message '{why}'")
    print(f"tacet can be missing for {len(missing)} reasons")


def build_c_project(source, scratch, prefix):
    """A project in C alone, without what C++ needs: the shared library is all there is."""
    project = scratch / "c-project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\n"
        "find_package(tacet 0.2 REQUIRED)\n"
        f"add_executable(user {source}/examples/c/main.c)\n"
        "target_link_libraries(user PRIVATE tacet::c)\n")
    run("env", "CXX=/nowhere", "PKG_CONFIG_LIBDIR=/nowhere", "cmake", "-S", project, "-B",
        project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in FOUND_BY_PACKAGE))
    run("cmake", "--build", project / "build")
    if "100 sums: epsilon 1." not in run(project / "build" / "user"):
        sys.exit("the example in C, built by CMake, printed something else")


def check_size(scratch, program):
    """What a program takes that trains, predicts and keeps a ledger."""
    stripped = scratch / "stripped"
    run("strip", "-o", stripped, program)
    size = stripped.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"a program takes {size} bytes, more than {MOST_BYTES}")
    print(f"a program takes {size} bytes")


def compile_without_warnings(source, prefix, compiler):
    """Strict flags, the language of today and the next one, and every compiler of the machine."""
    known = (compiler, "g++", "g++-12", "clang++", "clang++-14")
    compilers = {str(pathlib.Path(path).resolve()): path
                 for path in map(shutil.which, known) if path}
    for missing in sorted({"GCC": "g++", "Clang": "clang"}.items()):
        if not any(missing[1] in path for path in compilers):
            print(f"{missing[0]} is not here")
    for path in compilers.values():
        for standard in ("c++20", "c++2b"):
            for name in ("embed", *(name for name, _ in EXAMPLES)):
                run(path, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                    "-Wconversion", "-Werror", *pkg_config(prefix, "--cflags"),
                    source / "examples" / name / "main.cc")
        print(f"{path}: no warning")


def build_in_one_tree(source, scratch, compiler):
    """All examples and tacet as one build, as a project does that takes its sources."""
    project = scratch / "tree"
    project.mkdir()
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(tree LANGUAGES CXX)",
             f"add_subdirectory({source} tacet EXCLUDE_FROM_ALL)"]
    for name, _ in EXAMPLES:
        lines += [f"add_executable({name} {source}/examples/{name}/main.cc)",
                  f"target_link_libraries({name} PRIVATE tacet::tacet)"]
    (project / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    launcher = shutil.which("ccache")
    for shared in ("OFF", "ON"):
        build = project / f"shared-{shared}"
        run("cmake", "-S", project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DBUILD_SHARED_LIBS={shared}",
            *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []))
        run("cmake", "--build", build, "--parallel", "2")
        for name, expected in EXAMPLES:
            if expected not in run(build / name, cwd=source):
                sys.exit(f"example {name} should have printed '{expected}'")


def compile_headers(prefix, scratch, compiler):
    """Every public header can be the first and only one somebody includes."""
    headers = sorted((prefix / "include" / "tacet").rglob("*.h"))
    if not headers:
        sys.exit("no header was installed")
    project = scratch / "headers"
    project.mkdir()
    units = []
    for number, header in enumerate(headers):
        unit = project / f"header_{number}.cc"
        unit.write_text(f'#include "{header.relative_to(prefix / "include").as_posix()}"\n')
        units.append(unit.name)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\n"
        "find_package(tacet REQUIRED)\n"
        f"add_library(headers OBJECT {' '.join(units)})\n"
        "target_link_libraries(headers PRIVATE tacet::tacet)\n")
    run("cmake", "-S", project, "-B", scratch / "build", "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", scratch / "build", "--parallel", "2")
    print(f"{len(headers)} headers compile on their own")


def main(mode, source, build, scratch, compiler):
    source, build, scratch = map(pathlib.Path, (source, build, scratch))
    scratch = scratch / mode
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    version = f"tacet {project_version(source)}"
    if mode == "install":
        prefix = install(build, scratch)
        others = [example for example in EXAMPLES if example[0] != MEASURED]
        build_and_run_examples((("embed", version), *others), source, scratch, compiler, prefix)
        build_and_run_example(MEASURED, dict(EXAMPLES)[MEASURED], source, scratch, compiler,
                              f"-DCMAKE_PREFIX_PATH={prefix}", kind="Release")
        for name, expected in (("embed", version), ("release", "mean age: ")):
            build_by_pkg_config(name, expected, source, scratch, prefix, compiler)
        build_from_c(source, scratch, prefix)
        build_c_project(source, scratch, prefix)
        check_optional(scratch, prefix)
        check_size(scratch, scratch / f"build-{MEASURED}" / MEASURED)
        check_headers(prefix, scratch, compiler)
        check_program(source, prefix)
    elif mode == "subdirectory":
        build_and_run_example("embed", version, source, scratch, compiler,
                              f"-DTACET_SOURCE={source}", kind="Release")
        build_in_one_tree(source, scratch, compiler)
    elif mode == "warnings":
        compile_without_warnings(source, install(build, scratch), compiler)
    elif mode == "headers":
        compile_headers(install(build, scratch), scratch, compiler)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
