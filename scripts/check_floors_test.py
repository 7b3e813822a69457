"""Plants violations in small source trees and demands that check_floors reports each of them."""

import contextlib
import importlib.machinery
import io
import pathlib
import sys
import tempfile
import types
import unittest

# A script without an ending: loaded once, where a process for each of forty trees took seconds.
sys.dont_write_bytecode = True
SCRIPT = types.ModuleType("check_floors")
importlib.machinery.SourceFileLoader(
    "check_floors", str(pathlib.Path(__file__).resolve().parent / "check_floors")).exec_module(SCRIPT)


ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(folder):
    """(exit code, what it says of findings, what it says besides) of the script for a folder."""
    out, besides = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(besides):
        return SCRIPT.main([str(folder)]), out.getvalue(), besides.getvalue()


def check(files):
    """Runs the script over a tree of these files; returns (exit code, lines of findings)."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tacet").mkdir()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        code, out, _ = run(root)
        return code, out.splitlines()


class CheckFloorsTest(unittest.TestCase):
    def assert_clean(self, files):
        code, lines = check(files)
        self.assertEqual((code, lines), (0, []))

    def assert_finding(self, files, place, words):
        code, lines = check(files)
        self.assertEqual(code, 1, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(place + ": "), lines)
        self.assertIn(words, lines[0])

    def test_reports_include_no_reader_of_records(self):
        for header in ("data/read/csv.h", "data/encode/encoder.h", "run/records.h"):
            self.assert_finding({"tacet/report/page.cc": f'#include "tacet/{header}"\n'},
                                "tacet/report/page.cc:1", "reads records")
        self.assert_clean({"tacet/report/page_test.cc": '#include "tacet/data/encode/encoder.h"\n',
                           "tacet/report/page.cc": '#include "tacet/data/schema/schema.h"\n'})

    def test_lower_and_same_floors_may_be_included(self):
        self.assert_clean({
            "tacet/privacy/rdp.cc": '#include "tacet/privacy/rdp.h"\n\n#include <vector>\n\n'
                                    '#include "tacet/base/error.h"\n'
                                    '#include "tacet/random/source.h"\n',
            "tacet/apps/options.cc": '#include <CLI/CLI.hpp>\n#include "tacet/report/record.h"\n',
            "tacet/data/csv_test.cc": '#include "tests/support/data_sets.h"\n',
            "tests/support/x.cc": '#include <gtest/gtest.h>\n#include "tacet/learn/gradient.h"\n',
        })

    def test_an_include_that_climbs_is_found_on_every_pair_of_floors(self):
        floors = ["base", "numeric", "random", "privacy", "accounting", "ledger", "data",
                  "mechanism", "model", "optimize", "learn", "choose", "cluster", "local", "audit",
                  "run", "report", "apps"]
        files, expected = {}, []
        for low, lower in enumerate(floors):
            for higher in floors[low + 1:]:
                name = f"tacet/{lower}/to_{higher}.h"
                files[name] = f'#pragma once\n\n#include "tacet/{higher}/thing.h"\n'
                expected.append(f"{name}:3: ")
        code, lines = check(files)
        self.assertEqual(code, 1)
        self.assertEqual(len(lines), 153)
        for place in expected:
            self.assertTrue(any(line.startswith(place) for line in lines), place)

    def test_a_room_includes_only_what_stands_before_it(self):
        rooms = {"tacet/data/CMakeLists.txt":
                 "tacet_module(data ROOMS . schema read DEPENDS base)\n"}
        self.assert_clean(rooms | {
            "tacet/data/read/csv.h": '#include "tacet/data/schema/schema.h"\n'
                                     '#include "tacet/data/dataset.h"\n'
                                     '#include "tacet/data/read/row.h"\n'})
        self.assert_finding(rooms | {
            "tacet/data/schema/schema.h": '#include "tacet/data/read/csv.h"\n'},
            "tacet/data/schema/schema.h:1", "climbs from the room schema up to read")
        self.assert_finding(rooms | {
            "tacet/data/dataset.h": '#include "tacet/data/schema/schema.h"\n'},
            "tacet/data/dataset.h:1", "climbs from the room . up to schema")

    def test_a_folder_that_no_module_builds_is_found(self):
        self.assert_finding({"tacet/data/CMakeLists.txt": "tacet_module(data ROOMS . schema)\n",
                             "tacet/data/attic/old.cc": ""},
                            "tacet/data/attic/old.cc:1", "none of the ROOMS of data")
        self.assert_finding({"tacet/base/deep/x.h": "#pragma once\n"},
                            "tacet/base/deep/x.h:1", "none of the ROOMS of base")

    def test_a_test_beside_its_module_may_not_climb_either(self):
        self.assert_finding({"tacet/data/csv_test.cc": '#include "tacet/learn/gradient.h"\n'},
                            "tacet/data/csv_test.cc:1", "climbs from data up to learn")

    def test_odd_spelling_of_an_include_does_not_hide_it(self):
        self.assert_finding({"tacet/base/x.h": '\n  #  include   "tacet/apps/y.h"\n'},
                            "tacet/base/x.h:2", "climbs")
        self.assert_finding({"tacet/base/x.h": "#include <tacet/apps/y.h>\n"},
                            "tacet/base/x.h:1", "climbs")

    def test_an_include_in_a_comment_is_none(self):
        self.assert_clean({"tacet/base/x.h": '// #include "tacet/apps/y.h"\n'
                                             '/*\n#include "tacet/apps/y.h"\n*/\n'})

    def test_products_know_nothing_of_the_tests(self):
        self.assert_finding({"tacet/data/csv.cc": '#include "tests/support/data_sets.h"\n'},
                            "tacet/data/csv.cc:1", "by their path")

    def test_unknown_modules_and_relative_includes_are_found(self):
        self.assert_finding({"tacet/base/x.h": '#include "tacet/attic/y.h"\n'},
                            "tacet/base/x.h:1", "names no module")
        self.assert_finding({"tacet/base/x.cc": '#include "x.h"\n'},
                            "tacet/base/x.cc:1", "by their path")
        self.assert_finding({"tacet/attic/x.cc": "int x;\n"}, "tacet/attic:1", "list of floors")

    def test_third_party_headers_stay_in_their_rooms(self):
        for header, folder in [("CLI/CLI.hpp", "learn"), ("CLI/CLI.hpp", "apps"),
                               ("toml++/toml.h", "apps"), ("sqlite3.h", "data"),
                               ("zlib.h", "base"), ("mpi.h", "optimize"),
                               ("sqlite3.h", "local"), ("boost/asio.hpp", "local"),
                               ("boost/beast/core.hpp", "apps"), ("gtest/gtest.h", "model"),
                               ("benchmark/benchmark.h", "random")]:
            with self.subTest(header=header):
                self.assert_finding({f"tacet/{folder}/x.cc": f"#include <{header}>\n"},
                                    f"tacet/{folder}/x.cc:1", "has left its room")
        self.assert_clean({"tacet/data/s.cc": "#include <toml++/toml.h>\n#include <zlib.h>\n",
                           "tacet/ledger/l.cc": "#include <sqlite3.h>\n",
                           "tacet/local/CMakeLists.txt": "tacet_module(local ROOMS . http)\n",
                           "tacet/local/http/tls.h": "#include <boost/asio/ssl.hpp>\n",
                           "tacet/model/m_test.cc": "#include <gtest/gtest.h>\n"})

    def test_only_optimize_and_tests_certify_a_bounded_sum(self):
        call = "auto sum = privacy::BoundedSum::from_certified(values, grid, bound);\n"
        for path in ["tacet/learn/a.cc", "tacet/apps/a.cc", "tacet/privacy/a.h",
                     "examples/embed/a.cc", "tacet/mechanism/bounded_sum.cc"]:
            with self.subTest(path=path):
                self.assert_finding({path: call}, f"{path}:1", "from_certified")
        self.assert_clean({"tacet/optimize/a.cc": call, "tacet/learn/a_test.cc": call,
                           "tests/a.cc": call, "tacet/privacy/bounded_sum.h": call,
                           "tacet/mechanism/a.cc": "// " + call})

    def test_only_mechanisms_have_the_key_to_private_values(self):
        call = "auto access = mechanism::AccessKeys::key();\n"
        for path in ["tacet/learn/a.cc", "tacet/privacy/a.h", "tacet/apps/a.cc",
                     "examples/embed/a.cc"]:
            with self.subTest(path=path):
                self.assert_finding({path: call}, f"{path}:1", "only mechanism")
        self.assert_clean({"tacet/mechanism/a.cc": call, "tacet/learn/a_test.cc": call,
                           "tests/a.cc": call, "tacet/privacy/released.h": "class AccessKeys;\n"})

    def test_private_values_are_mapped_only_where_somebody_looked(self):
        for call in ["auto y = secret.map([](double v) { return out = v; });\n",
                     "auto y = secret->map(f);\n", "auto y = secret.template map<F>(f);\n",
                     "auto y = secret\n    .map(f);\n", "auto y = secret.\n    map(f);\n"]:
            for path in ["tacet/run/other.cc", "tacet/privacy/a.h", "examples/embed/a.cc"]:
                with self.subTest(call=call, path=path):
                    code, lines = check({path: call})
                    self.assertEqual((code, len(lines)), (1, 1), lines)
                    self.assertIn("map is called here", lines[0])
        for path in sorted(SCRIPT.MAPS):
            code, lines = check({path: "auto y = secret.map(f);\n"})
            self.assertFalse([line for line in lines if "map is called" in line], lines)
            self.assertIn(".map(", (ROOT / path).read_text("utf-8"), f"{path} maps nothing")
        self.assert_clean({"tacet/run/other.cc": "std::map<int, int> map(f);\nauto y = bitmap(f);\n",
                           "tacet/run/a_test.cc": "auto y = secret.map(f);\n"})

    def test_general_purpose_random_numbers_stay_in_tests(self):
        for code in ["#include <random>", "std::mt19937_64 g;", "std::random_device d;",
                     "std::normal_distribution<> d;", "int x = rand();", "int x = std::rand();"]:
            with self.subTest(code=code):
                self.assert_finding({"tacet/random/a.cc": code + "\n"}, "tacet/random/a.cc:1",
                                    "not for products")
                self.assert_clean({"tacet/random/a_test.cc": code + "\n",
                                   "bench/a.cc": code + "\n"})

    def test_the_library_is_silent(self):
        for code in ["std::cout << 1;", 'std::printf("x");', "std::exit(1);",
                     'auto p = std::getenv("HOME");']:
            with self.subTest(code=code):
                self.assert_finding({"tacet/data/a.cc": code + "\n"}, "tacet/data/a.cc:1",
                                    "in the library")
                self.assert_clean({"tacet/apps/a.cc": code + "\n",
                                   "tacet/data/a_test.cc": code + "\n"})
        self.assert_clean({"tacet/data/a.cc": 'const char* s = "std::cout";  // printf\n'})

    def test_texts_of_the_library_name_parameters_and_no_options(self):
        for code in ['throw Error("use --method gradient");', 'f("--batch-size");',
                     'g(R"(one\n--knots none)");', 'h("see `tacet ledger cap`");']:
            with self.subTest(code=code):
                self.assert_finding({"tacet/data/a.cc": code + "\n"},
                                    f"tacet/data/a.cc:{2 if 'one' in code else 1}",
                                    "in a text of the library")
                self.assert_clean({"tacet/apps/a.cc": code + "\n",
                                   "tacet/data/a_test.cc": code + "\n"})
        self.assert_clean({"tacet/data/a.cc": 'auto s = "`method=gradient`, a--b, ---, -- x";\n'
                                              "--left;  // as --method does\n"})

    def test_digit_separators_and_raw_strings_do_not_confuse_it(self):
        self.assert_finding({"tacet/data/a.cc": "int n = 1'000;\nstd::exit(1);\nint m = 2'000;\n"},
                            "tacet/data/a.cc:2", "std::exit")
        self.assert_clean({"tacet/data/a.cc": 'auto s = R"(" std::exit(1); ")";\n'})

    def test_cmake_dependencies_keep_the_order_too(self):
        self.assert_clean({"tacet/data/CMakeLists.txt":
                           "tacet_module(data DEPENDS privacy base LIBRARIES ZLIB::ZLIB)\n"})
        self.assert_finding({"tacet/data/CMakeLists.txt": "\ntacet_module(data DEPENDS learn)\n"},
                            "tacet/data/CMakeLists.txt:2", "does not stand below")
        self.assert_finding({"tacet/data/CMakeLists.txt": "tacet_module(data DEPENDS data)\n"},
                            "tacet/data/CMakeLists.txt:1", "does not stand below")

    def test_what_decides_privacy_has_a_test_beside_it(self):
        pair = {"tacet/ledger/books.h": "#pragma once\n", "tacet/ledger/books.cc": ""}
        self.assert_finding(pair, "tacet/ledger/books.cc:1", "books_test.cc is missing")
        self.assert_clean({**pair, "tacet/ledger/books_test.cc": ""})
        self.assert_clean({"tacet/ledger/books.cc": "", "tacet/data/x.h": "", "tacet/data/x.cc": ""})

    def test_a_folder_that_is_no_source_tree_is_a_usage_error(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, besides = run(folder)
        self.assertEqual(code, 2)
        self.assertIn("not a source tree", besides)


if __name__ == "__main__":
    unittest.main()
