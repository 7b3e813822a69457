// The model file reader: any bytes are a model or a DataError; a model writes and reads back, and
// one of projected rows lifts to a model of all columns.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/model/lifted_model.h"
#include "tacet/model/model_file.h"

namespace {

void lift(const tacet::model::ModelFile& file) {
  constexpr std::int64_t most_work = 1 << 16;
  if (!file.schema.projection) return;
  if (file.schema.full_column_count() * file.schema.projection->width > most_work) return;
  const auto dense =
      tacet::model::lifted(file.schema, file.model, tacet::model::LiftedColumns::all);
  dense.model.validate();
  if (dense.model.feature_count() != file.schema.full_column_count()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const auto file = tacet::model::model_from_json(text, "input");
    const auto written = tacet::model::model_to_json(file);
    const auto again = tacet::model::model_from_json(written, "copy");
    if (tacet::model::model_to_json(again) != written) std::abort();
    lift(file);
  } catch (const tacet::base::DataError&) {
  }
  return 0;
}
