#include "tacet/data/read/read_dataset.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/in_order.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/data/read/read_blocks.h"
#include "tacet/data/read/record_source.h"

namespace tacet::data::internal {
namespace {

/// One a thread.
class RowEncoder {
 public:
  RowEncoder(const Schema& schema, TargetUse target)
      : encoder_(schema), labelled_(target == TargetUse::required) {}

  const EncodedRow& encode(const UniformRecord& record) {
    if (!labelled_) {
      encoder_.encode(record.columns, record.values, row_);
    } else if (record.number_label) {
      encoder_.encode(record.columns, record.values, *record.number_label, row_);
    } else {
      encoder_.encode(record.columns, record.values, record.text_label, row_);
    }
    return row_;
  }

 private:
  UniformEncoder encoder_;
  bool labelled_;
  EncodedRow row_;
};

class LineBlocks : public BlockReader {
 public:
  LineBlocks(const UniformRecords& format, const Schema& schema, TargetUse target)
      : format_(format), encoder_(schema, target) {}

  std::int64_t read(std::unique_ptr<ByteSource> text, Dataset& data,
                    const std::function<void(Dataset&)>& look) override {
    const auto records = format_.of_lines(std::move(text));
    UniformRecord record;
    while (records->next(record)) {
      data.append(encoder_.encode(record));
      if (data.rows() % rows_between_checks == 0) look(data);
    }
    return records->lines();
  }

 private:
  const UniformRecords& format_;
  RowEncoder encoder_;
};

/// Some records, as a file without names of columns holds them.
struct Batch {
  struct Entry {
    std::size_t end;  // of its features
    std::optional<double> number_label;
    std::size_t text_end;
  };
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::string texts;
  std::vector<Entry> entries;

  void clear() {
    columns.clear();
    values.clear();
    texts.clear();
    entries.clear();
  }
  void add(const UniformRecord& record) {
    columns.insert(columns.end(), record.columns.begin(), record.columns.end());
    values.insert(values.end(), record.values.begin(), record.values.end());
    texts += record.text_label;
    entries.push_back({values.size(), record.number_label, texts.size()});
  }
  template <typename Use>
  void for_each(Use use) const {
    std::size_t begin = 0;
    std::size_t text = 0;
    for (const Entry& entry : entries) {
      const std::size_t count = entry.end - begin;
      use(UniformRecord{.columns = std::span(columns).subspan(begin, count),
                        .values = std::span(values).subspan(begin, count),
                        .text_label = std::string_view(texts).substr(text, entry.text_end - text),
                        .number_label = entry.number_label});
      begin = entry.end;
      text = entry.text_end;
    }
  }
};

/// Records that one thread reads and all threads encode.
Dataset encode_batches(UniformRecords& records, const Schema& schema, const ReadOptions& options) {
  constexpr std::size_t batch_values = std::size_t{1} << 15;
  constexpr std::size_t batch_records = std::size_t{1} << 12;
  auto& threads = *options.threads;
  std::vector<std::optional<RowEncoder>> encoders(static_cast<std::size_t>(threads.size()));
  Dataset data(shape_read(schema, options.target), options.spool);
  const auto cut = [&, record = UniformRecord()](Batch& batch) mutable {
    if (options.cancel != nullptr) options.cancel->throw_if_cancelled();
    batch.clear();
    while (batch.values.size() < batch_values && batch.entries.size() < batch_records &&
           records.next(record)) {
      batch.add(record);
    }
    return !batch.entries.empty();
  };
  const auto encode = [&](int worker, const Batch& batch) {
    auto& encoder = encoders[static_cast<std::size_t>(worker)];
    if (!encoder) encoder.emplace(schema, options.target);
    Dataset part(data.shape());
    batch.for_each([&](const UniformRecord& record) { part.append(encoder->encode(record)); });
    return part;
  };
  const auto take = [&](const Dataset& part) { data.append(part); };
  base::InOrder<Batch, Dataset>(threads, {.cut = cut, .work = encode, .take = take}, max_readers)
      .run();
  return data;
}

}  // namespace

Dataset read_uniform(UniformRecords& records, const Schema& schema, const ReadOptions& options,
                     std::size_t block) {
  if (options.threads != nullptr && options.threads->size() > 1) {
    auto text = records.take_text();
    if (!text) return encode_batches(records, schema, options);
    const BlockFormat format{
        .reader = [&] { return std::make_unique<LineBlocks>(records, schema, options.target); },
        .shape = shape_read(schema, options.target),
        .missing = {},
        .spool = options.spool};
    return read_text(TextBlocks(std::move(text->source), text->begun, std::nullopt, block), format,
                     *options.threads, options.cancel);
  }
  RowEncoder encoder(schema, options.target);
  Dataset data(shape_read(schema, options.target), options.spool);
  UniformRecord record;
  while (records.next(record)) {
    data.append(encoder.encode(record));
    if (options.cancel != nullptr && data.rows() % rows_between_checks == 0) {
      options.cancel->throw_if_cancelled();
    }
  }
  return data;
}

}  // namespace tacet::data::internal
