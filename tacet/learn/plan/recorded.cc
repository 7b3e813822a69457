#include "tacet/learn/plan/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::learn {
using privacy::Event;

RecordedParameters::RecordedParameters(const std::string& text)
    : json_(nlohmann::json::parse(text)) {}

void RecordedParameters::expect(const std::string& name, const nlohmann::json& expected,
                                std::string_view whose) {
  if (!has(name)) return;
  const auto& stated = at(name, Looking::confirms);
  if (stated == expected) return;
  throw base::DataError("the parameter {} is {}, but {} {}", name, stated.dump(), whose,
                        expected.dump());
}

const nlohmann::json& RecordedParameters::at(const std::string& name, Looking looking) {
  if (!has(name)) throw base::DataError("the parameter {} is missing", name);
  if (looking == Looking::confirms) used_.insert(name);
  return json_.at(name);
}

double RecordedParameters::real(const std::string& name, Looking looking) {
  const auto& value = at(name, looking);
  if (!value.is_number()) throw base::DataError("the parameter {} is no number", name);
  return value.get<double>();
}

std::int64_t RecordedParameters::count(const std::string& name, Looking looking) {
  const auto& value = at(name, looking);
  if (!value.is_number_integer()) {
    throw base::DataError("the parameter {} is no whole number", name);
  }
  return value.get<std::int64_t>();
}

std::string RecordedParameters::text(const std::string& name, Looking looking) {
  const auto& value = at(name, looking);
  if (!value.is_string()) throw base::DataError("the parameter {} is no text", name);
  return value.get<std::string>();
}

std::vector<std::string> RecordedParameters::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : json_.items()) {
    if (!used_.contains(name)) names.push_back(name);
  }
  return names;
}

namespace {

constexpr const char* count_name = "row_count_is";
constexpr const char* factor_name = "distance_factor";

}  // namespace

nlohmann::json neighbour_parameters(privacy::Adjacency adjacency) {
  return {{count_name, privacy::public_count.has(adjacency) ? "public" : "secret"},
          {factor_name, privacy::distance_factor(adjacency)}};
}

void expect_neighbours(RecordedParameters& parameters, privacy::Adjacency stated) {
  const auto expected = neighbour_parameters(stated);
  for (const auto& [name, value] : expected.items()) {
    if (!parameters.has(name)) {
      throw base::DataError(
          "the receipt does not say which neighbours its noise is for: {} is missing", name);
    }
    parameters.expect(name, value, fmt::format("{} asks for", privacy::to_string(stated)));
  }
}

void expect_there(const RecordedParameters& parameters,
                  std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (parameters.has(std::string(name))) continue;
    throw base::DataError("the parameter {} is missing, which this method writes", name);
  }
}

bool nearly_equal(double one, double other) {
  // products may have been computed in another order on another machine
  constexpr double roundings = 1e-9;
  return std::abs(one - other) <= roundings * std::abs(other);
}

void expect_checkable(std::int64_t places) {
  constexpr std::int64_t max = std::int64_t{1} << 27;
  if (places <= max) return;
  throw TooLongToCheck(
      "the receipt cannot be judged: it tells of {} uses of records, and sensitivities are "
      "computed again for at most 2^27 of them",
      places);
}

void expect_sampling(const privacy::Receipt& receipt, std::string_view expected) {
  if (receipt.sampling == expected) return;
  throw base::DataError("the sampling is called {}, but the method's is {}", receipt.sampling,
                        expected);
}

double recorded_noise(RecordedParameters& parameters) {
  const double noise = parameters.real("noise_multiplier");
  if (!(noise > 0 && std::isfinite(noise)))
    throw base::DataError("the noise multiplier is not above 0");
  parameters.expect("norm_bits", norm_bits_for(noise), "that noise multiplier leads to");
  return noise;
}

std::vector<CountedRelease> counted_releases(const Event& event) {
  constexpr std::size_t max = 1000;
  std::vector<CountedRelease> counts;
  const bool counted = privacy::each_release(event, [&](const Event& one, std::int64_t times) {
    const auto found = std::ranges::find(counts, one, &CountedRelease::event);
    if (found != counts.end()) return !__builtin_add_overflow(found->times, times, &found->times);
    if (counts.size() == max) throw base::DataError("more kinds of releases than any method has");
    counts.push_back({one, times});
    return true;
  });
  if (!counted) throw base::DataError("too many releases");
  return counts;
}

void expect_plain_release(const privacy::Receipt& receipt) {
  expect_sampling(receipt, "full_batch");
  if (receipt.calibration == "tight") return;
  throw base::DataError("calibration {} is of a method; a release has tight noise",
                        receipt.calibration);
}

bool same_releases(const Event& one, const Event& other) {
  const auto a = counted_releases(one);
  const auto b = counted_releases(other);
  return a.size() == b.size() && std::ranges::all_of(a, [&](const CountedRelease& wanted) {
           return std::ranges::any_of(b, [&](const CountedRelease& count) {
             return count.event == wanted.event && count.times == wanted.times;
           });
         });
}

}  // namespace tacet::learn
