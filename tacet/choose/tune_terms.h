#pragma once

#include <cstdint>

#include "tacet/base/error.h"
#include "tacet/choose/tune.h"
#include "tacet/privacy/guarantee.h"

/// The resolved terms of a tuning, from the values that all candidates share and from their own.
namespace tacet::choose {

/// What a tuning is planned for.
struct TuneTerms {
  const data::Schema& schema;
  const TuneRequest& request;
  privacy::Guarantee guarantee;
  std::int64_t rows;
  double mean;  // expected number of runs, by which delta is shared
};

/// UsageError for a request that cannot be met, or not with these candidates.
[[nodiscard]] TuneTerms resolve_terms(const data::Schema& schema, const TuneRequest& request);

/// A candidate's values together with the shared ones. UsageError for a name that is in both.
[[nodiscard]] learn::ParameterValues together(const TuneRequest& request,
                                              const Candidate& candidate);

/// Errors of a candidate's plan say which candidate it is.
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
