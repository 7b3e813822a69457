#include "tacet/run/records.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/pipes.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/run/record_text.h"

namespace tacet::run {
namespace {

using ledger::Fingerprint;

/// The records of a file that is LIBSVM or holds arrays.
void add_uniform(const std::string& file, const data::FileKind& kind, Fingerprint& fingerprint) {
  const auto records = data::internal::open_whole(file, kind);
  data::internal::UniformRecord record;
  while (records->next(record)) internal::note(record, fingerprint);
}

void add_table(const std::string& file, const data::FileFormat& format, Fingerprint& fingerprint) {
  auto options = data::csv_options(format);
  options.trim = true;
  data::CsvReader reader(data::open_text(file, format.encoding), file, options);
  while (const auto fields = reader.next()) {
    for (std::size_t k = 0; k < fields->size(); ++k) {
      internal::note((*fields)[k], k, fingerprint);
    }
    fingerprint.end_record();
  }
}

/// Each line as a record. A line longer than limits::line_bytes comes in pieces, so that no file
/// decides about memory.
void add_lines(const std::string& file, Fingerprint& fingerprint) {
  constexpr std::size_t chunk = 1 << 16;
  constexpr auto longest = static_cast<std::size_t>(base::limits::line_bytes);
  std::array<char, chunk> buffer{};
  const auto source =
      data::without_byte_order_mark(data::open_text(file, data::encoding_by_mark(file)));
  std::string line;
  const auto finish = [&] {
    if (line.ends_with('\r')) line.pop_back();
    internal::note(std::string_view(line), 0, fingerprint);
    fingerprint.end_record();
    line.clear();
  };
  while (const auto count = source->read(buffer)) {
    std::string_view text(buffer.data(), count);
    while (!text.empty()) {
      if (line.size() == longest && text.front() != '\n') finish();
      const auto size = std::min({text.find('\n'), text.size(), longest - line.size()});
      line += text.substr(0, size);
      text.remove_prefix(size);
      if (!text.starts_with('\n')) continue;
      finish();
      text.remove_prefix(1);
    }
  }
  finish();
}

struct Way {
  std::function<void(Fingerprint&)> read;
  bool may_have_names = true;  // in the first line
};

/// The ways in which a file may hold records, the likeliest one first.
std::vector<Way> ways_to_read(const std::string& file) {
  std::vector<Way> ways;
  if (const auto* kind = data::recognised_kind(file)) {
    ways.push_back({[=](Fingerprint& records) { add_uniform(file, *kind, records); }, false});
  } else if (const auto format = data::likely_format(file)) {
    ways.push_back({[=](Fingerprint& records) { add_table(file, *format, records); }});
    auto unquoted = *format;
    unquoted.quote = std::nullopt;
    ways.push_back({[=](Fingerprint& records) { add_table(file, unquoted, records); }});
  }
  ways.push_back({[=](Fingerprint& records) { add_lines(file, records); }});
  return ways;
}

}  // namespace

std::vector<std::string> fingerprints_of(ledger::Ledger& ledger, const std::string& file) {
  if (!data::can_be_read_again(file)) return {};
  for (const auto& [read, may_have_names] : ways_to_read(file)) {
    try {
      auto fingerprint = ledger.fingerprint();
      read(fingerprint);
      std::vector<std::string> digests{fingerprint.digest()};
      const auto tail = may_have_names ? fingerprint.digest_without_first() : std::nullopt;
      if (tail) digests.push_back(*tail);
      return digests;
    } catch (const base::DataError&) {   // it holds records in another way
    } catch (const base::UsageError&) {  // or its name does not say where its labels are
    }
  }
  throw base::InternalError("every file can be read line by line");
}

}  // namespace tacet::run
