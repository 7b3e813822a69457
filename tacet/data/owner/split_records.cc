#include "tacet/data/owner/split_records.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/unit_index.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/csv.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"

namespace tacet::data {
namespace {

constexpr std::int64_t longest_block = 1000;
constexpr std::size_t max_strata = 100000;
constexpr std::string_view label_column = "label";

/// Out of b records, a go to the test file.
struct Share {
  std::int64_t test;
  std::int64_t block;
};

/// The share as the fraction with the smallest denominator, or else the nearest one in thousandths.
Share as_fraction(double share) {
  constexpr double exact = 1e-9;
  for (std::int64_t block = 2; block < longest_block; ++block) {
    const double test = std::round(share * static_cast<double>(block));
    if (test < 1 || test >= static_cast<double>(block)) continue;
    if (std::abs(test / static_cast<double>(block) - share) < exact) {
      return {static_cast<std::int64_t>(test), block};
    }
  }
  const auto test = std::llround(share * static_cast<double>(longest_block));
  return {std::clamp<std::int64_t>(test, 1, longest_block - 1), longest_block};
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014) as a number in [0, 1). It need not be secret.
double next_uniform(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53;
}

/// Draws by permuted blocks: the places of one block after the other (Fan, Muller, Rezucha 1962).
class BlockDraw {
 public:
  BlockDraw(const Share& share, std::uint64_t state) : share_(share), state_(state) {}

  [[nodiscard]] bool next_is_test() {
    if (left_ == 0) {
      left_ = share_.block;
      test_left_ = share_.test;
    }
    const bool test =
        next_uniform(state_) * static_cast<double>(left_) < static_cast<double>(test_left_);
    --left_;
    test_left_ -= test ? 1 : 0;
    return test;
  }

 private:
  Share share_;
  std::uint64_t state_;
  std::int64_t left_ = 0;
  std::int64_t test_left_ = 0;
};

/// Decides record by record.
class Sides {
 public:
  explicit Sides(const SplitOptions& options)
      : options_(options),
        share_(as_fraction(options.test_share)),
        seed_(public_hash(fmt::format("tacet split {}", options.seed))) {}

  /// Decides by the record's stratum; an empty text if there are no strata.
  [[nodiscard]] bool is_test(std::string_view stratum) { return draw(stratum).next_is_test(); }
  /// Decides by the record's unit; units are compared as everywhere. A record without a unit is
  /// drawn on its own.
  [[nodiscard]] bool unit_is_test(const Value& unit) {
    const auto name = name_.of_value(unit);
    if (name.empty()) return is_test({});
    std::uint64_t state = seed_ ^ public_hash(name);
    return next_uniform(state) < options_.test_share;
  }

 private:
  BlockDraw& draw(std::string_view stratum) {
    const auto found = strata_.find(stratum);
    if (found != strata_.end()) return found->second;
    if (strata_.size() == max_strata) {
      throw base::DataError("'{}' has more than {} values, too many to split each",
                            options_.stratify, max_strata);
    }
    const auto state = seed_ ^ public_hash(stratum);
    return strata_.emplace(std::string(stratum), BlockDraw(share_, state)).first->second;
  }

  const SplitOptions& options_;
  Share share_;
  std::uint64_t seed_;
  std::map<std::string, BlockDraw, std::less<>> strata_;
  UnitName name_;
};

/// The two sinks, and counts of what went to each.
struct Parts {
  const TextSink& train;
  const TextSink& test;
  SplitCounts counts = {};

  void write(bool to_test, std::string_view record) {
    (to_test ? test : train)(record);
    ++(to_test ? counts.test : counts.train);
  }
};

SplitCounts split_csv(const std::filesystem::path& file, const SplitOptions& options, Parts parts) {
  // Parts keep the file's own encoding. It has single bytes, so the CSV reader need not know it.
  auto format = options.format;
  if (format.encoding == TextEncoding::utf_16) {
    throw base::DataError(
        "{}: text in UTF-16 cannot be split; convert it to UTF-8 first, as iconv does",
        file.string());
  }
  format.encoding = TextEncoding::utf_8;
  auto reader = open_csv(file, format);
  auto names = read_column_names(reader, format);
  const auto header = names;
  for (auto& name : names) name = utf8_text(name);
  const auto place = [&](const std::string& column) -> std::optional<std::size_t> {
    if (column.empty()) return std::nullopt;
    return column_place(column, names, file.string());
  };
  const auto unit = place(options.together);
  const auto stratum = place(options.stratify);
  if (options.format.header) {
    const auto line =
        csv_line(std::vector<std::string_view>(header.begin(), header.end()), reader.separator());
    parts.train(line);
    parts.test(line);
  }
  Sides sides(options);
  while (const auto fields = reader.next()) {
    const bool test = unit ? sides.unit_is_test((*fields)[*unit])
                           : sides.is_test(stratum ? (*fields)[*stratum] : std::string_view());
    parts.write(test, csv_line(*fields, reader.separator()));
  }
  return parts.counts;
}

/// Calls `receive` with each line, including its line end.
template <typename Receive>
void for_each_line(const std::filesystem::path& file, const Receive& receive) {
  const auto source = without_byte_order_mark(open_source(file));
  std::array<char, 1 << 16> buffer{};
  std::string line;
  while (const auto count = source->read(buffer)) {
    std::string_view text(buffer.data(), count);
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
      line += text.substr(0, end);
      text.remove_prefix(end);
      if (line.back() == '\n') {
        receive(line);
        line.clear();
      } else if (line.size() > static_cast<std::size_t>(base::limits::line_bytes)) {
        throw base::DataError("{}: a line longer than {} bytes", file.string(),
                              base::limits::line_bytes);
      }
    }
  }
  if (!line.empty()) receive(line + "\n");
}

SplitCounts split_libsvm(const std::filesystem::path& file, const SplitOptions& options,
                         Parts parts) {
  if (!options.together.empty()) {
    throw base::UsageError("LIBSVM files have no column whose records could stay together");
  }
  if (!options.stratify.empty() && options.stratify != label_column) {
    throw base::UsageError(
        "LIBSVM files can be stratified by 'label', the first number of a line; got '{}'",
        options.stratify);
  }
  Sides sides(options);
  for_each_line(file, [&](std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || line[first] == '#') return;
    const auto label = line.substr(first, line.find_first_of(" \t\r\n", first) - first);
    parts.write(sides.is_test(options.stratify.empty() ? std::string_view() : label), line);
  });
  return parts.counts;
}

void check_split(const SplitOptions& options) {
  if (!(options.test_share > 0 && options.test_share < 1)) {
    throw base::UsageError("test must be a share above 0 and below 1, got {}", options.test_share);
  }
  if (!options.together.empty() && !options.stratify.empty()) {
    throw base::UsageError(
        "records stay together by one column or are split by the values of one, not both");
  }
}

}  // namespace

SplitCounts split_records(const std::filesystem::path& file, const SplitOptions& options,
                          const TextSink& train, const TextSink& test) {
  check_split(options);
  if (options.format.kind->names_columns()) return split_csv(file, options, {train, test});
  if (options.format.kind->name == "libsvm") return split_libsvm(file, options, {train, test});
  throw base::UsageError("only CSV and LIBSVM files can be split, not {}",
                         options.format.kind->description);
}

std::vector<bool> split_places(const RecordSource& records, const SplitOptions& options,
                               const base::CancelToken* cancel) {
  check_split(options);
  const auto reader = records.open();
  const bool together = !options.together.empty();
  const auto& column = together ? options.together : options.stratify;
  const auto place = column.empty()
                         ? std::nullopt
                         : std::optional(column_place(column, reader->names(), records.name));
  Sides sides(options);
  FileText text;
  std::vector<bool> places;
  while (const auto record = reader->next()) {
    if (cancel != nullptr && places.size() % rows_between_checks == 0) cancel->throw_if_cancelled();
    places.push_back(together ? sides.unit_is_test((*record)[*place])
                              : sides.is_test(place ? text.of((*record)[*place]) : ""));
  }
  return places;
}

}  // namespace tacet::data
