#include "tacet/run/noted_records.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tacet/run/record_text.h"

namespace tacet::run {
namespace {

class NotedRecords : public data::RecordReader {
 public:
  NotedRecords(std::unique_ptr<data::RecordReader> records, ledger::Fingerprint& fingerprint,
               const std::vector<std::string>& read)
      : records_(std::move(records)), fingerprint_(fingerprint) {
    if (read.empty()) return;
    std::vector<bool> columns;
    for (const auto& name : names()) columns.push_back(std::ranges::find(read, name) != read.end());
    fingerprint_.read_only(std::move(columns));
  }

  [[nodiscard]] const std::vector<std::string>& names() const override { return records_->names(); }
  [[nodiscard]] std::optional<std::span<const data::Value>> next() override {
    const auto record = records_->next();
    if (!record) return std::nullopt;
    for (std::size_t k = 0; k < record->size(); ++k) {
      internal::note((*record)[k], k, fingerprint_);
    }
    fingerprint_.end_record();
    return record;
  }

 private:
  std::unique_ptr<data::RecordReader> records_;
  ledger::Fingerprint& fingerprint_;
};

}  // namespace

data::RecordSource noted(data::RecordSource records, ledger::Fingerprint* fingerprint,
                         const std::vector<std::string>& read) {
  if (fingerprint == nullptr) return records;
  auto name = records.name;
  return {std::move(name),
          [records = std::move(records), fingerprint, read,
           first = std::make_shared<bool>(true)]() -> std::unique_ptr<data::RecordReader> {
            if (!std::exchange(*first, false)) return records.open();
            return std::make_unique<NotedRecords>(records.open(), *fingerprint, read);
          }};
}

}  // namespace tacet::run
