#include "tacet/data/read/read_uniform.h"

#include <optional>

#include "tacet/base/error.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/data/read/cancel_rhythm.h"

namespace tacet::data::internal {
namespace {

double encoded_label(const LabelEncoder& encoder, const UniformRecord& record) {
  return record.number_label ? encoder.encode_number(*record.number_label)
                             : encoder.encode(record.text_label);
}

}  // namespace

Dataset read_uniform(UniformRecords& records, const Schema& schema, const ReadOptions& options) {
  std::optional<LabelEncoder> label;
  if (options.target == TargetUse::required) label.emplace(*schema.target);
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  UniformRecord record;
  EncodedRow row;
  while (records.next(record)) {
    encoder.encode(record.columns, record.values, row);
    row.label = label ? encoded_label(*label, record) : 0.0;
    data.append(row);
    if (options.cancel != nullptr && data.rows() % rows_between_checks == 0) {
      options.cancel->throw_if_cancelled();
    }
  }
  return data;
}

}  // namespace tacet::data::internal
