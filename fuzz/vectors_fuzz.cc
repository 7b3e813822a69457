// Word vectors of either form of word2vec. Whatever the bytes, reading ends with different words of
// finite numbers or with a DataError; what was read is read again from both forms as it was.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/model/words/word_search.h"
#include "tacet/model/words/word_vectors.h"

namespace vectors_fuzz {

namespace {

using namespace tacet::model;

std::optional<WordVectors> read(std::string_view bytes) {
  try {
    return read_word_vectors(tacet::data::memory_source(bytes, "v"), "v");
  } catch (const tacet::base::DataError&) {
    return std::nullopt;
  }
}

std::string written(const WordVectors& vectors, VectorFormat format) {
  std::string out;
  VectorWriter writer(format, static_cast<std::int64_t>(vectors.words.size()), vectors.dimensions,
                      [&](std::string_view piece) { out += piece; });
  for (std::size_t k = 0; k < vectors.words.size(); ++k) {
    writer.add(vectors.words[k], vectors.vector(k));
  }
  writer.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto found = read({reinterpret_cast<const char*>(data), size});
  if (!found) return 0;
  const std::set<std::string> different(found->words.begin(), found->words.end());
  if (different.size() != found->words.size()) std::abort();
  for (const float number : found->values) {
    if (!std::isfinite(number)) std::abort();
  }
  const WordSearch search(*found);
  static_cast<void>(search.nearest(search.direction(0), 3, {}));
  const auto text = read(written(*found, VectorFormat::text));
  if (!text || text->words != found->words || text->values != found->values) std::abort();
  return 0;
}

}  // namespace vectors_fuzz
