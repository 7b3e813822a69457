#include "tacet/data/read/read_dataset.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/read_blocks.h"
#include "tacet/data/read/record_source.h"

namespace tacet::data::internal {
namespace {

/// Blocks of a CSV file whose columns are known.
class CsvBlocks : public BlockReader {
 public:
  CsvBlocks(const Schema& schema, std::span<const std::string> names, TargetUse target,
            std::string file_name, const CsvOptions& options)
      : encoder_(schema, names, target, file_name),
        file_name_(std::move(file_name)),
        columns_(names.size()),
        options_(options) {
    options_.from_start = false;
    options_.buffer_size = std::size_t{1} << 16;
  }

  std::int64_t read(std::unique_ptr<ByteSource> text, Dataset& data,
                    const std::function<void(Dataset&)>& look) override {
    CsvReader reader(std::move(text), file_name_, options_);
    reader.expect_columns(columns_);
    std::int64_t records = 0;
    while (const auto fields = reader.next()) {
      encoder_.append(*fields, data);
      if (++records % rows_between_checks != 0) continue;
      encoder_.flush(data);
      look(data);
    }
    encoder_.flush(data);
    return reader.next_line() - 1;
  }

  std::vector<std::string> take_units() override { return encoder_.take_units(); }

 private:
  Encoder encoder_;
  std::string file_name_;
  std::size_t columns_;
  CsvOptions options_;
};

}  // namespace

Dataset read_csv(std::unique_ptr<ByteSource> source, const std::string& file_name,
                 const Schema& schema, const ReadOptions& options, std::size_t block) {
  // A comment may contain a single quote, which would hide the ends of records.
  const bool parallel =
      options.threads != nullptr && options.threads->size() > 1 && !schema.format.comment;
  CsvOptions csv = csv_options(schema.format);
  if (parallel) csv.buffer_size = block;
  CsvReader reader(std::move(source), file_name, csv);
  const auto wanted = schema.required_columns();
  const std::vector<std::string> names = read_column_names(reader, schema.format, wanted);
  csv.separator = reader.separator();
  const bool units = schema.unit && options.target == TargetUse::required;
  if (auto rest = parallel ? reader.take_rest() : std::nullopt) {
    const BlockFormat format{.reader =
                                 [&] {
                                   return std::make_unique<CsvBlocks>(schema, names, options.target,
                                                                      file_name, csv);
                                 },
                             .shape = shape_read(schema, options.target),
                             .units = units,
                             .missing = schema.missing,
                             .lines_before = reader.next_line() - 1,
                             .spool = options.spool};
    return read_text(TextBlocks(std::move(rest->source), rest->begun, schema.format.quote, block),
                     format, *options.threads, options.cancel);
  }
  Encoder encoder(schema, names, options.target, file_name);
  Dataset data(shape_read(schema, options.target), options.spool);
  if (units) data.declare_units();
  std::int64_t records = 0;
  while (const auto fields = reader.next()) {
    encoder.append(*fields, data);
    if (options.cancel != nullptr && ++records % rows_between_checks == 0) {
      options.cancel->throw_if_cancelled();
    }
  }
  encoder.flush(data);
  return data;
}

}  // namespace tacet::data::internal
