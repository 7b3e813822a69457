#include "tacet/data/read/record_source.h"

#include <utility>

#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/transcode.h"

namespace tacet::data {
namespace {

class CsvRecords : public RecordReader {
 public:
  CsvRecords(std::unique_ptr<ByteSource> source, const std::string& file_name,
             const FileFormat& format)
      : reader_(std::move(source), file_name, csv_options(format)),
        names_(read_column_names(reader_, format)) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] std::optional<std::span<const Value>> next() override {
    const auto fields = reader_.next();
    if (!fields) return std::nullopt;
    values_.assign(fields->begin(), fields->end());
    return values_;
  }

  [[nodiscard]] std::int64_t line() const override { return reader_.line(); }

 private:
  CsvReader reader_;
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

}  // namespace

RecordSource csv_records(const std::filesystem::path& file, const FileFormat& format) {
  return {file.string(), [file, format] {
            return csv_reader(open_text(file, format.encoding), file.string(), format);
          }};
}

std::unique_ptr<RecordReader> csv_reader(std::unique_ptr<ByteSource> source,
                                         const std::string& file_name, const FileFormat& format) {
  return std::make_unique<CsvRecords>(std::move(source), file_name, format);
}

}  // namespace tacet::data
