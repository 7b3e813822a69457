#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/receipt.h"

/// What methods need to lead the parameters of a receipt back to their events.
namespace tacet::learn {

/// The parameters of a receipt; remembers which were looked at. Not for several threads at once.
class RecordedParameters {
 public:
  explicit RecordedParameters(const std::string& text);

  [[nodiscard]] bool has(const std::string& name) const { return json_.contains(name); }
  double real(const std::string& name);
  std::int64_t count(const std::string& name);
  std::string text(const std::string& name);
  /// A fault unless the parameter, where it is there, is `expected`.
  void expect(const std::string& name, const nlohmann::json& expected, std::string_view whose);

  [[nodiscard]] const std::set<std::string>& used() const { return used_; }
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  const nlohmann::json& at(const std::string& name);

  nlohmann::json json_;
  std::set<std::string> used_;
};

/// A contradiction unless the receipt calls its sampling so.
void expect_sampling(const privacy::Receipt& receipt, std::string_view expected);

/// The noise multiplier, and the grid of the clipping norm that follows from it.
[[nodiscard]] double recorded_noise(RecordedParameters& parameters);

/// Methods with a paper's calibration write down what the paper claims.
void expect_claim(RecordedParameters& parameters, const privacy::Receipt& receipt);

/// Settles l2 of the mean by that of the sum over the public number of records; the latter.
double recorded_sum_l2(RecordedParameters& parameters, const privacy::Receipt& receipt);

/// A pure release: its epsilon is no parameter, so that only its kind can be held against the file.
template <typename Kind>
[[nodiscard]] privacy::Event pure_release(const privacy::Receipt& receipt,
                                          const privacy::Event& own) {
  const auto* release = own.as<Kind>();
  if (release == nullptr || release->adjacency != receipt.guarantee.adjacency) {
    throw base::DataError("the events are not what method {} releases", receipt.algorithm);
  }
  return own;
}

/// The releases of an event in order, equal ones once. A contradiction where there are more kinds
/// than any method has.
struct CountedRelease {
  privacy::Event event;
  std::int64_t times;
};
[[nodiscard]] std::vector<CountedRelease> counted_releases(const privacy::Event& event);

/// Whether both release the same as often.
[[nodiscard]] bool same_releases(const privacy::Event& one, const privacy::Event& other);

}  // namespace tacet::learn
