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

/// What methods need to lead the parameters of a receipt back to their events.
namespace tacet::learn {

/// What a look at a parameter is for.
enum class Looking {
  confirms,  ///< to hold it against what the receipt states: it counts as checked
  assumes    ///< to compute with it: another value could lead to the same, and nothing is checked
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
  /// A fault unless the parameter, where it is there, is `expected`.
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

/// How many records of a unit take part at most. Every receipt of units has it, also where it is 1,
/// and no receipt of single records.
inline constexpr std::string_view max_records_per_unit_name = "max_records_per_unit";

/// Two parameters by which a receipt states for which neighbours its noise was made, beside the
/// name of their adjacency. `row_count_is` is "secret" if the run used only a declared number of
/// records, otherwise "public". `distance_factor` says by how many times one record's bound
/// neighbours may differ. Each adjacency has its own pair of the two, so that noise that was made
/// for one adjacency does not pass for that of another.
[[nodiscard]] nlohmann::json neighbour_parameters(privacy::Adjacency adjacency);

/// A contradiction where the neighbours of the parameters are not those of the stated adjacency, or
/// where nothing is said of them.
void expect_neighbours(RecordedParameters& parameters, privacy::Adjacency stated);

/// A contradiction where one of these is missing: settings that other methods do not write, so that
/// a receipt does not pass under the name of another method.
void expect_there(const RecordedParameters& parameters,
                  std::initializer_list<std::string_view> names);

/// Whether two numbers are equal but for rounding.
[[nodiscard]] bool nearly_equal(double one, double other);

/// A contradiction unless the receipt calls its sampling so.
void expect_sampling(const privacy::Receipt& receipt, std::string_view expected);

/// A run that is too long to be computed again from a file that anybody may have written: nothing
/// confirms or refutes its receipt.
class TooLongToCheck : public base::DataError {
 public:
  using base::DataError::DataError;
};

/// TooLongToCheck where `places`, the uses of records one after the other, are more than 2^27: up
/// to there the way back takes 1.6 GB and some ten seconds.
void expect_checkable(std::int64_t places);

/// The noise multiplier, and the grid of the clipping norm that follows from it.
[[nodiscard]] double recorded_noise(RecordedParameters& parameters);

/// A pure release that costs `epsilon` by the parameters: as the file has it where both agree but
/// for rounding, in the kind of event that the method releases.
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

/// The releases of an event in order, equal ones once. A contradiction where there are more kinds
/// than any method has.
struct CountedRelease {
  privacy::Event event;
  std::int64_t times;
};
[[nodiscard]] std::vector<CountedRelease> counted_releases(const privacy::Event& event);

/// DataError unless the receipt is that of a release which reads all records once, with noise that
/// follows no paper.
void expect_plain_release(const privacy::Receipt& receipt);

/// Whether two events consist of the same releases, each equally often.
[[nodiscard]] bool same_releases(const privacy::Event& one, const privacy::Event& other);

}  // namespace tacet::learn
