#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/optimize/parts/curve_maps.h"
#include "tacet/optimize/parts/part_answer.h"
#include "tacet/optimize/parts/record_sums.h"
#include "tacet/optimize/parts/sum_request.h"

namespace tacet::optimize {

/// Which part of which run records are.
struct PartPlace {
  std::int64_t part = 0;  ///< 0, 1, ..
  std::string key;        ///< of the run, by which digests of records are keyed
};

/// What a part reads from its source.
struct PartRecords {
  data::Dataset records;
  std::vector<std::string> units = {};  ///< names of the units 0, 1, .., where records have units
};

/// 128 bits of a unit's name, keyed for the run.
using UnitHash = std::array<std::uint64_t, 2>;

/// The records of one source, wherever they are read. It answers requests with exact integers; it
/// draws no noise, and includes nothing that could. Not for several threads at once.
class Part {
 public:
  /// `reading` is the schema by which the records were read. `maps` may be those of other parts of
  /// this process. Keeps references to threads and maps. InternalError for units without names.
  Part(PartPlace place, PartRecords read, data::Schema reading, base::ThreadPool& threads,
       CurveMaps& maps);

  /// The answer's bytes: private until they are sealed. DataError for a request that records read
  /// by another schema are to answer, and for bytes that are no request.
  [[nodiscard]] std::string answer(std::string_view request);

 private:
  void follow(const std::string& settings);
  void add(const SumRequest& request, PartAnswer& answer) const;

  PartPlace place_;
  data::Dataset records_;
  std::string reading_;  // as text
  base::ThreadPool& threads_;
  CurveMaps& maps_;
  std::string digest_;
  std::vector<UnitHash> units_;  // in order
  std::string settings_text_;    // that it follows now
  std::optional<SumSettings> settings_;
  std::string released_;  // by which `sums_` has rewritten the records; empty: not at all
  std::unique_ptr<RecordSums> sums_;
};

/// The bytes of an answer that says of which kind an error was, and no more.
[[nodiscard]] std::string failed_answer(std::int64_t part, std::string_view request,
                                        std::string_view kind);

}  // namespace tacet::optimize
