#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/optimize/parts/part_answer.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/parts/seal.h"

namespace tacet::optimize {

/// Carries a request's bytes to all parts, and brings the answer of each, in any order.
using AskParts = std::function<std::vector<std::string>(const std::string& request)>;

/// The records of a run that lie in parts.
struct RemoteRun {
  std::int64_t parts = 0;  ///< how many there are
  data::Schema reading;    ///< by which they read their sources
  AskParts ask;
  const SealKey* key = nullptr;  ///< answers are sealed to it; null: they are not sealed
  /// The declared number of units, by which answers have room for them; none: that of `reading`.
  std::optional<std::int64_t> declared_units = {};
};

/// The most bytes that all answers of one round have together.
inline constexpr std::int64_t max_round_bytes = std::int64_t{64} << 20;

/// UsageError if `parts` parts cannot answer with `numbers` numbers each. Has to be asked before
/// anything is booked.
void check_round(std::int64_t parts, std::int64_t numbers);

/// In which rounds parts are asked for all of their units. An answer has room for twice the
/// declared number, of which a part may hold all.
struct UnitRounds {
  int share_bits = 0;
  std::int64_t hashes = 0;  ///< the most that an answer can hold

  [[nodiscard]] std::int64_t count() const { return std::int64_t{1} << share_bits; }
  /// How many integers an answer has.
  [[nodiscard]] std::int64_t numbers() const { return 2 * hashes + 1; }
};
/// UsageError where there would be more than 2^max_share_bits rounds: to be asked before anything
/// is booked.
[[nodiscard]] UnitRounds unit_rounds(std::int64_t parts, std::optional<std::int64_t> declared);

/// Adds up what parts elsewhere answer.
///
/// What can go wrong on the way ends the run with a DataError that names the part: an answer to
/// another request, of another version, by a part that there is not or that has answered already,
/// none at all, another number of integers, a number of records that cannot be or was another one
/// before, other records than before, and an integer beyond what so many records can add up to.
/// All parts together hold at most 2^32 records. No unit lies in two of them: all units are
/// compared, and a part with more of them than there is room for ends the run. The same records in
/// two parts are not noticed where they have no units: each source has to be named once.
class RemoteParts final : public PartSums {
 public:
  /// UsageError without a part.
  explicit RemoteParts(RemoteRun run);

  [[nodiscard]] data::DatasetShape shape() const override;
  [[nodiscard]] bool has_units() const override { return run_.reading.unit.has_value(); }
  [[nodiscard]] std::int64_t rows() override;
  void rewrite(const ReleasedSchema& released) override;

  /// Asks every part how many records it holds, and for its units: whatever is wrong with a source,
  /// a worker or the way to it shows before anything is released.
  void open();

  /// Calls this once, before the first request that carries what was released of the records.
  void before_disclosure(std::function<void()> call) { before_disclosure_ = std::move(call); }

 protected:
  void start(const GradientTask& task) override;
  [[nodiscard]] std::vector<std::int64_t> add_gradients(std::span<const double> weights,
                                                        Basis basis) override;
  [[nodiscard]] std::vector<std::int64_t> add_moments(const MomentTask& task) override;
  [[nodiscard]] std::vector<ColumnCount> add_presence(const PresenceTask& task) override;
  [[nodiscard]] std::vector<std::int64_t> add_gram(const GramTask& task) override;
  [[nodiscard]] std::vector<std::int64_t> add_predictions(const model::LinearModel& model,
                                                          const PredictionCells& cells) override;

 private:
  struct Known {  // of a part
    std::int64_t rows;
    std::string records;
  };
  struct Expected {
    std::int64_t sums = 0;  // integers of each answer
    std::int64_t each = 0;  // of a record to one of them, at most
    bool units = false;     // hashes of units instead
  };

  [[nodiscard]] SumRequest request(const SumTask& task) const;
  [[nodiscard]] std::vector<PartAnswer> ask(const SumRequest& request, const Expected& expected);
  [[nodiscard]] PartAnswer opened(const std::string& bytes) const;
  void check(const PartAnswer& answer, const std::string& digest, const Expected& expected);
  void check_records(const PartAnswer& answer);
  void check_sums(const PartAnswer& answer, const Expected& expected) const;
  [[nodiscard]] std::vector<std::int64_t> added(const SumRequest& request,
                                                const Expected& expected);

  RemoteRun run_;
  std::optional<ReleasedSchema> released_;
  std::optional<SumRequest> gradients_;
  Expected of_gradients_{};
  std::vector<std::optional<Known>> known_;
  bool units_checked_ = false;
  std::function<void()> before_disclosure_ = {};
};

}  // namespace tacet::optimize
