#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/receipt.h"

/// Helps methods to convert the parameters of a receipt back into their events.
namespace tacet::learn {

/// Why a parameter is read.
enum class Looking {
  confirms,  ///< to compare it with the receipt's statement: it counts as checked
  assumes  ///< to compute with it: another value could give the same result, so nothing is checked
};

/// The parameters of a receipt; remembers which were looked at. Not for several threads at once.
class RecordedParameters {
 public:
  explicit RecordedParameters(const std::string& text);

  [[nodiscard]] bool has(const std::string& name) const {
    looked_for_.insert(name);
    return json_.contains(name);
  }
  double real(const std::string& name, Looking looking = Looking::confirms);
  std::int64_t count(const std::string& name, Looking looking = Looking::confirms);
  std::string text(const std::string& name, Looking looking = Looking::confirms);
  /// DataError unless the parameter, if it exists, equals `expected`.
  void expect(const std::string& name, const nlohmann::json& expected, std::string_view whose);

  /// Those that were confirmed.
  [[nodiscard]] const std::set<std::string>& used() const { return used_; }
  /// Names that were read or asked for, whether they are there or not.
  [[nodiscard]] const std::set<std::string>& looked_for() const { return looked_for_; }
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  const nlohmann::json& at(const std::string& name, Looking looking);

  nlohmann::json json_;
  std::set<std::string> used_;
  mutable std::set<std::string> looked_for_;
};

/// The largest number of records of a unit that take part. Every receipt of units has it, even if
/// it is 1, and no receipt of single records has it.
inline constexpr std::string_view max_records_per_unit_name = "max_records_per_unit";

/// Two parameters by which a receipt states for which neighbours its noise was made, beside the
/// name of their adjacency. `row_count_is` is "secret" if the run used only a declared number of
/// records, otherwise "public". `distance_factor` is the largest distance of neighbours in units of
/// one record's bound. Each adjacency has its own pair of values, so noise for one adjacency cannot
/// pass as noise for another.
[[nodiscard]] nlohmann::json neighbour_parameters(privacy::Adjacency adjacency);

/// DataError if the neighbours in the parameters are not those of the stated adjacency, or if the
/// parameters do not state any.
void expect_neighbours(RecordedParameters& parameters, privacy::Adjacency stated);

/// DataError if one of these settings is missing. Other methods do not write them, so a receipt
/// cannot pass under the name of another method.
void expect_there(const RecordedParameters& parameters,
                  std::initializer_list<std::string_view> names);

/// Whether two numbers are equal but for rounding.
[[nodiscard]] bool nearly_equal(double one, double other);

/// A contradiction unless the receipt calls its sampling so.
void expect_sampling(const privacy::Receipt& receipt, std::string_view expected);

/// The run is too long to be computed again from a file that anybody may have written. Nothing
/// confirms or refutes its receipt.
class TooLongToCheck : public base::DataError {
 public:
  using base::DataError::DataError;
};

/// TooLongToCheck if there are more than 2^27 `places` (uses of records one after the other). Up to
/// there the check takes 1.6 GB and about ten seconds.
void expect_checkable(std::int64_t places);

/// The noise multiplier, and the grid of the clipping norm that follows from it.
[[nodiscard]] double recorded_noise(RecordedParameters& parameters);

/// A pure release that costs `epsilon` by the parameters, in the kind of event that the method
/// releases. If the file's event agrees up to rounding, returns that.
template <typename Kind>
[[nodiscard]] privacy::Event pure_release(privacy::Adjacency adjacency, double epsilon,
                                          const privacy::Event& own) {
  Kind expected{epsilon, adjacency};
  const auto* release = own.as<Kind>();
  if (release != nullptr && nearly_equal(release->epsilon, epsilon)) {
    expected.epsilon = release->epsilon;
  }
  return expected;
}

/// The releases of an event in order, with equal ones counted. DataError if there are more kinds
/// than any method has.
struct CountedRelease {
  privacy::Event event;
  std::int64_t times;
};
[[nodiscard]] std::vector<CountedRelease> counted_releases(const privacy::Event& event);

/// DataError unless the receipt is that of a release which reads all records once and does not
/// follow a paper.
void expect_plain_release(const privacy::Receipt& receipt);

/// Whether two events consist of the same releases, each equally often.
[[nodiscard]] bool same_releases(const privacy::Event& one, const privacy::Event& other);

}  // namespace tacet::learn
