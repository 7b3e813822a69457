#include "tacet/data/read/foreign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacet/data/ascii.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view save_as_csv =
    "save the sheet as CSV (UTF-8) and give that file, or pipe it: in2csv FILE | tacet ... -";
constexpr std::string_view by_query =
    "let a tool that reads it write CSV, and give that as -: "
    "(duckdb -csv -c \"FROM 'FILE'\" && echo END) | tacet ... - `end_mark=END`";
constexpr std::string_view by_pyarrow =
    "let pyarrow write CSV, and give that as -: (python3 -c \"import sys, pyarrow.csv, "
    "pyarrow.feather; pyarrow.csv.write_csv(pyarrow.feather.read_table('FILE'), "
    "sys.stdout.buffer)\" && echo END) | tacet ... - `end_mark=END`";
constexpr std::string_view by_avro =
    "let a tool that reads it write CSV, and give that as -: (duckdb -csv -c \"FROM "
    "read_avro('FILE')\" && echo END) | tacet ... - `end_mark=END` (DuckDB fetches its reader of "
    "Avro from the network at first use)";
constexpr std::string_view by_select =
    "let sqlite3 write CSV, and give that as -: "
    "(sqlite3 -header -csv FILE \"SELECT * FROM TABLE\" && echo END) | tacet ... - `end_mark=END`";
constexpr std::string_view by_mdb_export =
    "let Access export the table as CSV, or pipe it: mdb-export FILE TABLE | tacet ... -";
constexpr std::string_view by_program =
    "let a program that reads it write CSV or NPY, and give that file";
constexpr std::string_view by_statistics =
    "let the program that wrote it export CSV, or R: "
    "write.csv(haven::read_...(\"FILE\"), \"FILE.csv\", row.names = FALSE)";
constexpr std::string_view by_r =
    "let R write CSV: write.csv(readRDS(\"FILE\"), \"FILE.csv\", row.names = FALSE)";
constexpr std::string_view table_of_page =
    "let the program that made it export the table as CSV, and give that file";
constexpr std::string_view unpack = "unpack it, or pack it with gzip, which is read as it is";
constexpr std::string_view to_utf8 =
    "write it in UTF-8, and give that as -: iconv -f UTF-32 -t UTF-8 FILE | tacet ... -";
constexpr std::string_view recode =
    "write encoding = \"utf-16\" under [format] in its schema, or name it to `schema.fit`";

struct Signature {
  std::string_view bytes;
  std::string_view kind;
  std::string_view way_out;
};

constexpr std::array signatures{
    Signature{"PK\x03\x04"sv, "is a zip archive, as spreadsheets (.xlsx, .ods) are", save_as_csv},
    Signature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "is an old spreadsheet or document (.xls)",
              save_as_csv},
    Signature{"PAR1"sv, "is a Parquet file", by_query},
    Signature{"ARROW1"sv, "is an Arrow or Feather file", by_pyarrow},
    Signature{"\x89HDF\r\n"sv, "is an HDF5 file", by_program},
    Signature{"SQLite format 3"sv, "is an SQLite database", by_select},
    Signature{"Obj\x01"sv, "is an Avro file", by_avro},
    Signature{"ORC"sv, "is an ORC file", by_program},
    Signature{"\x80\x04\x95"sv, "is a Python pickle", by_program},
    Signature{"\x80\x05\x95"sv, "is a Python pickle", by_program},
    Signature{"\0\1\0\0Standard "sv, "is an Access database", by_mdb_export},
    Signature{"%PDF-"sv, "is a PDF document", "give the table it was made from, as CSV"},
    Signature{"<stata_dta>"sv, "is a Stata file", by_statistics},
    Signature{"$FL2@(#)"sv, "is an SPSS file", by_statistics},
    Signature{"$FL3@(#)"sv, "is an SPSS file", by_statistics},
    Signature{"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"sv, "is a SAS file", by_statistics},
    Signature{"HEADER RECORD*******LIB"sv, "is a SAS transport file", by_statistics},
    Signature{"RDX2\n"sv, "is a file of R objects", by_r},
    Signature{"RDX3\n"sv, "is a file of R objects", by_r},
    Signature{"X\n\0\0\0"sv, "is an R object", by_r},
    Signature{"MATLAB 5.0 MAT-file"sv, "is a MATLAB file", by_program},
    Signature{"7z\xbc\xaf\x27\x1c"sv, "is packed with 7z", unpack},
    Signature{"Rar!\x1a\x07"sv, "is packed with RAR", unpack},
    Signature{"\x28\xb5\x2f\xfd"sv, "is packed with zstd", unpack},
    Signature{"\xfd"
              "7zXZ"sv,
              "is packed with xz", unpack},
    Signature{"BZh"sv, "is packed with bzip2", unpack},
    Signature{"{\\rtf"sv, "is a document (.rtf)", "give the table in it as CSV"},
    Signature{"version https://git-lfs"sv, "stands for a file that Git LFS keeps elsewhere",
              "fetch it: git lfs pull"},
    Signature{"\xff\xfe\0\0"sv, "is text in UTF-32", to_utf8},
    Signature{"\0\0\xfe\xff"sv, "is text in UTF-32", to_utf8},
    Signature{"\xff\xfe"sv, "is text in UTF-16", recode},
    Signature{"\xfe\xff"sv, "is text in UTF-16", recode},
};

/// The kind of a markup file, by its first word in angle brackets.
std::string_view markup_kind(std::string_view text) {
  const auto begins = [text](std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(word, text.substr(0, word.size()), {}, {}, lower_case);
  };
  if (begins("<?xml")) return "is XML";
  const bool page = begins("<!doctype html") || begins("<html") || begins("<table");
  return page ? "is a web page" : "";
}

/// A first line `key = "text"`, `key = 1` or `[table]`.
bool is_toml(std::string_view text) {
  const auto line = text.substr(0, text.find('\n'));
  const auto word = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (word != 0 && word != std::string_view::npos && line.substr(word).starts_with(" = ")) {
    const auto value = line.substr(word + 3);
    return !value.empty() && (value[0] == '"' || value[0] == '[' || value[0] == 't' ||
                              value[0] == 'f' || (value[0] >= '0' && value[0] <= '9'));
  }
  return line == "[format]" || line == "[target]" || line == "[[column]]" || line == "[features]";
}

}  // namespace

bool is_utf16(std::string_view first_bytes) {
  return first_bytes.starts_with("\xff\xfe"sv) || first_bytes.starts_with("\xfe\xff"sv);
}

std::string foreign_kind(std::string_view first_bytes) {
  for (const auto& known : signatures) {
    if (!first_bytes.starts_with(known.bytes)) continue;
    // "ORC" and "BZh" may also begin a line of names.
    const bool letters = std::ranges::all_of(known.bytes, [](char c) {
      return is_digit(c) || (lower_case(c) >= 'a' && lower_case(c) <= 'z');
    });
    const auto rest = first_bytes.substr(known.bytes.size());
    const bool binary = std::ranges::any_of(
        rest, [](char c) { return static_cast<unsigned char>(c) < 9 || (c > 13 && c < 32); });
    if (letters && !binary) continue;
    return fmt::format("{}; {}", known.kind, known.way_out);
  }
  first_bytes = without_byte_order_mark(first_bytes);
  if (is_toml(first_bytes)) {
    return "is a schema or another TOML file, not a file of records; the schema goes into `schema`";
  }
  const auto start = first_bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "";
  if (const auto kind = markup_kind(first_bytes.substr(start)); !kind.empty()) {
    return fmt::format("{}, not CSV; {}", kind, table_of_page);
  }
  // A list of records or of lists. A line of CSV may begin with a bracket, too.
  const auto inside = first_bytes.find_first_not_of(" \t\r\n", start + 1);
  const bool list = first_bytes[start] == '[' && inside != std::string_view::npos &&
                    (first_bytes[inside] == '{' || first_bytes[inside] == '[');
  if (first_bytes[start] != '{' && !list) return "";
  if (first_bytes.find("\"tacet-model\"") != std::string_view::npos) {
    return "is a model of tacet, not a file of records";
  }
  return fmt::format(
      "is JSON, not CSV; {}",
      "let a tool that reads it write CSV, and give that as -: (duckdb -csv -c \"FROM "
      "read_json('FILE')\" && echo END) | tacet ... - `end_mark=END`");
}

}  // namespace tacet::data
