#include "tacet/data/read/foreign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view save_as_csv =
    "save the sheet as CSV (UTF-8) and give that file, or pipe it: in2csv FILE | tacet ... -";
constexpr std::string_view by_query =
    "let a tool that reads it write CSV, and give that as -: "
    "(duckdb -csv -c \"FROM 'FILE'\" && echo END) | tacet ... - `end_mark=END`";
constexpr std::string_view by_select =
    "let sqlite3 write CSV, and give that as -: "
    "(sqlite3 -header -csv FILE \"SELECT * FROM TABLE\" && echo END) | tacet ... - `end_mark=END`";
constexpr std::string_view by_program =
    "let a program that reads it write CSV or NPY, and give that file";
constexpr std::string_view unpack = "unpack it, or pack it with gzip, which is read as it is";
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
    Signature{"ARROW1"sv, "is an Arrow or Feather file", by_program},
    Signature{"\x89HDF\r\n"sv, "is an HDF5 file", by_program},
    Signature{"SQLite format 3"sv, "is an SQLite database", by_select},
    Signature{"Obj\x01"sv, "is an Avro file", by_program},
    Signature{"ORC"sv, "is an ORC file", by_program},
    Signature{"\x80\x04\x95"sv, "is a Python pickle", by_program},
    Signature{"%PDF-"sv, "is a PDF document", "give the table it was made from, as CSV"},
    Signature{"\x28\xb5\x2f\xfd"sv, "is packed with zstd", unpack},
    Signature{"\xfd"
              "7zXZ"sv,
              "is packed with xz", unpack},
    Signature{"BZh"sv, "is packed with bzip2", unpack},
    Signature{"\xff\xfe"sv, "is text in UTF-16", recode},
    Signature{"\xfe\xff"sv, "is text in UTF-16", recode},
};

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
    // "ORC" and "BZh" may begin a line of names.
    const bool letters = std::ranges::all_of(known.bytes, [](char c) { return c >= '!'; });
    const auto rest = first_bytes.substr(known.bytes.size());
    const bool binary = std::ranges::any_of(
        rest, [](char c) { return static_cast<unsigned char>(c) < 9 || (c > 13 && c < 32); });
    if (letters && !binary && known.bytes != "%PDF-"sv) continue;
    return fmt::format("{}; {}", known.kind, known.way_out);
  }
  first_bytes = without_byte_order_mark(first_bytes);
  if (is_toml(first_bytes)) {
    return "is a schema or another TOML file, not a file of records; the schema goes into `schema`";
  }
  const auto start = first_bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "";
  // A list of records, or of lists; a line of CSV may begin with a bracket too.
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
