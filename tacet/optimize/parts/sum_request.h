#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/optimize/sums/moment_sum.h"
#include "tacet/optimize/sums/prediction_cells.h"

/// What is asked of the records of all parts, and its form as bytes. A request is public: it says
/// what is summed, by which schema, and at which released numbers.
namespace tacet::optimize {

/// More hashes than a round can carry are asked of no part.
inline constexpr std::int64_t max_unit_hashes = std::int64_t{1} << 22;

/// How many records a part holds, which every answer says; of records with units, hashes of these
/// beside it. These come in several shares where one round cannot carry them all: a share are the
/// hashes that begin with the same bits.
struct RowsTask {
  int share_bits = 0;
  std::int64_t share = 0;   ///< the number that these bits are
  std::int64_t hashes = 0;  ///< room for so many in each answer; 0: none are asked for
};

inline constexpr int max_share_bits = 10;

/// Gradients of linear predictors, at weights that each request brings along.
struct GradientTask {
  model::Loss loss;
  std::int64_t outputs = 1;
  ContributionLimit limit{};
};

/// Means, squares and counts of categories, of records of data::raw_schema(schema).
struct MomentTask {
  data::Schema schema;
  int norm_bits = 26;
  Moments moments{};
};

/// How often columns occur, of those that `schema` lets be chosen among.
struct PresenceTask {
  data::Schema schema;
};

/// Products of columns, and of columns with the target.
struct GramTask {
  std::int64_t outputs = 1;
  /// If set, the sum is about numbers alone, in the standard deviations that this schema released:
  /// the rows that data::number_rows makes of records of its data::raw_schema.
  std::optional<data::Schema> numbers = {};
};

/// Where predictions lie, of the model whose coefficients are the request's weights.
struct PredictionTask {
  model::Loss loss;
  PredictionCells cells;
};

using SumTask =
    std::variant<RowsTask, GradientTask, MomentTask, PresenceTask, GramTask, PredictionTask>;

/// What decides the numbers in a request, for people who read requests. Parts answer all of them
/// alike.
enum class Basis {
  stated,   ///< public facts alone
  released  ///< what was released of the records
};

/// What a first release says about columns, by which parts rewrite their records.
enum class Rewriting {
  standards,  ///< means and standard deviations, scales of categories (data/encode/standardise.h)
  columns,    ///< which columns are kept (data/encode/narrow_rows.h)
  curves      ///< standards and whitening (data/encode/curve_records.h)
};
struct ReleasedSchema {
  data::Schema schema;  ///< as text without the map of its curves, which parts make (curve_maps.h)
  Rewriting how;
};

/// Everything of a request but its weights.
struct SumSettings {
  data::Schema reading;                    ///< by which a part reads its source
  std::optional<ReleasedSchema> released;  ///< by which it has rewritten its records then
  SumTask task;
};

/// As text, of which equal settings have the same. UsageError for a loss of the caller's own, which
/// no part knows.
[[nodiscard]] std::string settings_to_text(const SumSettings& settings);
/// The inverse. DataError for anything else, and for settings of another version of tacet.
[[nodiscard]] SumSettings settings_from_text(std::string_view text);

struct SumRequest {
  Basis basis = Basis::stated;
  std::string settings;         ///< settings_to_text
  std::vector<double> weights;  ///< of a GradientTask, or a model's of a PredictionTask; else none

  [[nodiscard]] std::string to_bytes() const;
  /// DataError for anything else.
  [[nodiscard]] static SumRequest from_bytes(std::string_view bytes);
};

/// By which answers name the request: SHA-256 of its bytes, in 64 hexadecimal digits.
[[nodiscard]] std::string digest_of(std::string_view request_bytes);

}  // namespace tacet::optimize
