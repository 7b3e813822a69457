#include "tacet/run/noted_records.h"

#include <memory>
#include <string>
#include <utility>

#include "tacet/run/record_text.h"

namespace tacet::run {
namespace {

class NotedRecords : public data::RecordReader {
 public:
  NotedRecords(std::unique_ptr<data::RecordReader> records, ledger::Fingerprint& fingerprint)
      : records_(std::move(records)), fingerprint_(fingerprint) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return records_->names(); }
  [[nodiscard]] std::optional<std::span<const data::Value>> next() override {
    const auto record = records_->next();
    if (!record) return std::nullopt;
    text_.clear();
    for (const auto& value : *record) internal::append_text(value, text_);
    fingerprint_.add(text_);
    return record;
  }

 private:
  std::unique_ptr<data::RecordReader> records_;
  ledger::Fingerprint& fingerprint_;
  std::string text_;
};

}  // namespace

data::RecordSource noted(data::RecordSource records, ledger::Fingerprint* fingerprint) {
  if (fingerprint == nullptr) return records;
  auto name = records.name;
  return {std::move(name),
          [records = std::move(records), fingerprint,
           first = std::make_shared<bool>(true)]() -> std::unique_ptr<data::RecordReader> {
            if (!std::exchange(*first, false)) return records.open();
            return std::make_unique<NotedRecords>(records.open(), *fingerprint);
          }};
}

}  // namespace tacet::run
