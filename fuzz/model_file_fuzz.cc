// The model file reader: any bytes are a model or a DataError; a model writes and reads back.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/model/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const auto file = tacet::model::model_from_json(text, "input");
    const auto written = tacet::model::model_to_json(file);
    const auto again = tacet::model::model_from_json(written, "copy");
    if (tacet::model::model_to_json(again) != written) std::abort();
  } catch (const tacet::base::DataError&) {
  }
  return 0;
}
