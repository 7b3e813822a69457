#include "tacet/mechanism/select/crossings.h"

#include <utility>

#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/random/choose/crossings.h"

namespace tacet::mechanism {
namespace {

/// The query on the sum, and the width of the noise.
struct Query {
  const privacy::SparseBoundedSum& sum;
  privacy::NoiseMultiplier multiplier;
  std::int64_t threshold;
};

privacy::Released<std::vector<std::int64_t>> find(const Query& query, privacy::Event event,
                                                  NoiseAddress address, random::Source& source) {
  const auto access = AccessKeys::key();
  const double sigma = internal::noise_scale(query.multiplier.value(),
                                             static_cast<double>(query.sum.contribution_bound()));
  auto found = random::gaussian_crossings(
      source.claim(random::Purpose::selection, address.step, address.tensor), query.sum.size(),
      query.sum.open(access), sigma, query.threshold);
  return {access, std::move(found), std::move(event)};
}

}  // namespace

privacy::Released<std::vector<std::int64_t>> release_crossings(const privacy::SparseBoundedSum& sum,
                                                               privacy::NoiseMultiplier multiplier,
                                                               std::int64_t threshold,
                                                               const ReleaseContext& context) {
  // Post-processing of the Gaussian mechanism on all coordinates. Coordinates that are 0 are
  // skipped by exact gaps: docs/proofs/selection.md, "Thresholds among very many scores".
  auto event = internal::debit_sampled(sum.sample(), privacy::Gaussian{multiplier.value()},
                                       context.reservation);
  return find({sum, multiplier, threshold}, std::move(event), context.address, context.source);
}

privacy::Released<std::vector<std::int64_t>> release_crossings(const privacy::SparseBoundedSum& sum,
                                                               privacy::NoiseMultiplier multiplier,
                                                               std::int64_t threshold,
                                                               const PermitContext& context) {
  context.permit.take(sum.sample(), privacy::Gaussian{multiplier.value()});
  return find({sum, multiplier, threshold}, context.permit.event(), context.address,
              context.source);
}

}  // namespace tacet::mechanism
