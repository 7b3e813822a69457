#pragma once

#include <cstdint>

#include "tacet/base/error.h"
#include "tacet/choose/tune.h"
#include "tacet/privacy/guarantee.h"

/// What a tuning is asked for, from the values of all and those of each candidate.
namespace tacet::choose {

/// What the whole is planned for.
struct Asked {
  const data::Schema& schema;
  const TuneRequest& request;
  privacy::Guarantee guarantee;
  std::int64_t rows;
  double mean;  // of the number of runs, as far as delta is shared by it
};

/// UsageError for what no tuning can be, or not with these candidates.
[[nodiscard]] Asked resolve_asked(const data::Schema& schema, const TuneRequest& request);

/// A candidate's values beside those of all. UsageError for a name in both.
[[nodiscard]] learn::ParameterValues together(const TuneRequest& request,
                                              const Candidate& candidate);

/// A fault of a candidate is one of the grid: it says which.
template <typename Plan>
auto naming(const Candidate& candidate, Plan plan) {
  const auto& name = candidate.name;
  try {
    return plan();
  } catch (const base::UsageError& error) {
    throw base::UsageError("candidate {}: {}", name, error.what());
  } catch (const base::GuaranteeError& error) {
    throw base::GuaranteeError("candidate {}: {}", name, error.what());
  } catch (const base::NumericError& error) {
    throw base::NumericError("candidate {}: {}", name, error.what());
  }
}

}  // namespace tacet::choose
