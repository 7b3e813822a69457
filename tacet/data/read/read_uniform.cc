#include "tacet/data/read/read_uniform.h"

#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/data/read/cancel_rhythm.h"

namespace tacet::data::internal {
namespace {

void encode_with_label(UniformEncoder& encoder, const UniformRecord& record, EncodedRow& row) {
  if (record.number_label) {
    encoder.encode(record.columns, record.values, *record.number_label, row);
  } else {
    encoder.encode(record.columns, record.values, record.text_label, row);
  }
}

}  // namespace

Dataset read_uniform(UniformRecords& records, const Schema& schema, const ReadOptions& options) {
  const bool labelled = options.target == TargetUse::required;
  UniformEncoder encoder(schema);
  Dataset data(labelled ? schema.shape() : schema.unlabelled_shape());
  UniformRecord record;
  EncodedRow row;
  while (records.next(record)) {
    if (labelled) {
      encode_with_label(encoder, record, row);
    } else {
      encoder.encode(record.columns, record.values, row);
    }
    data.append(row);
    if (options.cancel != nullptr && data.rows() % rows_between_checks == 0) {
      options.cancel->throw_if_cancelled();
    }
  }
  return data;
}

}  // namespace tacet::data::internal
