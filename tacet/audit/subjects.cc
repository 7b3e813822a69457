#include "tacet/audit/subjects.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/mechanism_subjects.h"
#include "tacet/audit/training_audit.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/choose/plan.h"

namespace tacet::audit {
namespace {

using enum privacy::Adjacency;
using privacy::Adjacency;
using privacy::Guarantee;

constexpr privacy::AdjacencySet replaced{replace_one};
constexpr std::int64_t choosing_records = 40;
constexpr double short_record = 0.02;  // of a length of 1

/// Trainings on a line: one number, no intercept, so that all of a record is in one coefficient.
data::Schema line(bool classes) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  if (classes) {
    schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  } else {
    schema.target = {"y", data::RegressionTarget{-1, 1}};
  }
  schema.intercept = false;
  schema.public_row_count = few_records;
  return schema;
}

/// What makes the pair of a training's records as far apart as its proof allows for.
choose::Request request_of(std::string_view method, const Guarantee& claim) {
  choose::Request request(claim.adjacency);
  request.set("method", std::string(method.substr(0, method.find('/'))));
  request.set("epsilon", claim.epsilon).set("delta", claim.delta);
  if (method.starts_with("gradient")) {
    request.set("clipping-norm", 0.25).set("step-size", 0.1).set("knots", "none");
    request.set("steps", std::int64_t{method == "gradient" ? 1 : 4});
    if (method == "gradient/poisson") request.set("batch-size", 3);
    if (method == "gradient/fixed-size") request.set("batch-size", 3).set("sampling", "fixed_size");
    if (method == "gradient/partition") request.set("batch-size", 3).set("sampling", "partition");
  } else if (method == "output" || method == "phased") {
    request.set("loss", "hinge").set("step-size", 0.05);
  } else if (method == "objective") {
    request.set("l2", 1.0 / 6);
  } else if (method == "regularized-output") {
    request.set("loss", "smoothed_hinge").set("loss-parameter", 0.1).set("l2", 20.0 / 6);
  } else if (method == "ladder" || method == "localized" || method == "growth" ||
             method == "phased-erm") {
    request.set("radius", 4);
  }
  return request;
}

Subject training(std::string_view name, const Guarantee& claim) {
  const bool classes = name != "adassp" && name != "inverse-sensitivity";
  auto schema = line(classes);
  if (claim.adjacency == add_remove && name == "adassp") schema.public_row_count.reset();
  return training_subject(choose::plan(request_of(name, claim), schema));
}

/// A tuning of one candidate, which runs about once, of one step. The model that is chosen is
/// looked at.
Subject tuning(std::string_view /*name*/, const Guarantee& claim) {
  auto schema = line(true);
  schema.public_row_count = choosing_records;
  choose::Request request(claim.adjacency);
  request.set("method", "gradient").set("epsilon", claim.epsilon).set("delta", claim.delta);
  request.set("clipping-norm", 0.25).set("step-size", 0.1).set("knots", "none");
  request.tune({.grid = "[[candidate]]\nsteps = 1\n", .trials = 1.05, .holdout = 0.1});
  return training_subject(choose::plan(request, schema));
}

/// Boosted runs and radii. Among models that the noise alone throws to one end of their ball or to
/// the other, the choice is what shows a record: one that is long moves two scores by all that a
/// record may, in opposite directions. The others are short and push a little to one end, which
/// makes the other one rare in training and in the choice; `push` says how much, in standard
/// deviations of the noise.
Subject choice(std::string_view name, const Guarantee& claim) {
  const bool radii = name == "radius";
  auto schema = line(true);
  schema.public_row_count = choosing_records;
  const double mu =
      accounting::gaussian::mu_for(privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta));
  // Eight radii share it, on 28 records; a boosted run has all of it, on 15.
  const double of_run = radii ? mu / std::sqrt(8.0) : mu;
  const double trained = radii ? 28 : 15;
  const double push = radii ? 0.6 : 1.5;
  choose::Request request(claim.adjacency);
  request.set("method", "gradient").set("epsilon", claim.epsilon).set("delta", claim.delta);
  request.set("clipping-norm", trained * short_record * of_run / (4 * push));
  request.set("steps", 1).set("step-size", 1e9).set("knots", "none");
  if (radii) {
    request.set("radius", "auto");
  } else {
    request.set("boost", 0.5).set("radius", 20);
  }
  return training_subject(choose::plan(request, schema), short_record);
}

constexpr std::int64_t many_rare = 400000;  // rare outcomes tell the most
constexpr std::int64_t many = 100000;
constexpr std::int64_t some = 20000;

const NamedAudit table[] = {
    {"gaussian", "gaussian", "Gaussian noise on a sum", privacy::every_adjacency,
     privacy::no_adjacency, many, gaussian_subject},
    {"laplace", "laplace", "Laplace noise on a sum", privacy::no_adjacency,
     privacy::every_adjacency, many, laplace_subject},
    {"discrete-noise", "discrete noise", "discrete noise on counts", privacy::every_adjacency,
     privacy::every_adjacency, many, discrete_noise_subject},
    {"exponential", "selection", "the exponential mechanism", privacy::no_adjacency,
     privacy::every_adjacency, many_rare, selection_subject},
    {"permute-and-flip", "selection", "permute-and-flip", privacy::no_adjacency,
     privacy::every_adjacency, many_rare, selection_subject},
    {"noisy-max", "selection", "report noisy max with Laplace noise", privacy::no_adjacency,
     privacy::every_adjacency, many_rare, selection_subject},
    {"sparse-vector", "sparse vector", "which query is above a threshold", privacy::no_adjacency,
     privacy::every_adjacency, many_rare, sparse_vector_subject},
    {"quantile", "quantile", "a median of few numbers", privacy::no_adjacency,
     privacy::every_adjacency, many_rare, quantile_subject},
    {"partition-selection",
     "partition selection",
     "words that nobody listed, with noisy counts",
     {add_remove, zero_out},
     privacy::no_adjacency,
     many,
     partition_selection_subject},
    {"gradient", "gradient", "one step over all records", privacy::every_adjacency,
     privacy::no_adjacency, some, training},
    {"gradient/poisson", "gradient", "four steps over Poisson samples", privacy::every_adjacency,
     privacy::no_adjacency, some, training},
    {"gradient/fixed-size", "gradient", "four steps over samples of fixed size", replaced,
     privacy::no_adjacency, some, training},
    {"gradient/partition", "gradient", "four steps over the blocks of passes", replaced,
     privacy::no_adjacency, some, training},
    {"output", "output", "a whole training", replaced, privacy::no_adjacency, some, training},
    {"objective",
     "objective",
     "a whole training",
     {add_remove, replace_one},
     {add_remove, replace_one},
     some,
     training},
    {"regularized-output",
     "regularized-output",
     "a whole training",
     {add_remove, replace_one},
     {add_remove, replace_one},
     some,
     training},
    {"ladder", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"localized", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"phased-erm", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"adassp",
     "adassp",
     "a whole training",
     {add_remove, replace_one},
     privacy::no_adjacency,
     some,
     training},
    {"phased", "phased", "a whole training", replaced, privacy::no_adjacency, some, training},
    {"growth", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"inverse-sensitivity", "inverse-sensitivity", "a whole training", privacy::no_adjacency,
     replaced, some, training},
    {"report/privunit", "privunit", "a device's report", privacy::no_adjacency, replaced, many,
     report_subject},
    {"report/privunitg", "privunitg", "a device's report", privacy::no_adjacency, replaced, many,
     report_subject},
    {"report/djw", "djw", "a device's report", privacy::no_adjacency, replaced, many,
     report_subject},
    {"report/l2_laplace", "l2_laplace", "a device's report", privacy::no_adjacency, replaced, many,
     report_subject},
    {"report/coordinate_laplace", "coordinate_laplace", "a device's report", privacy::no_adjacency,
     replaced, many, report_subject},
    {"report/gaussian", "gaussian reports", "a device's report", replaced, privacy::no_adjacency,
     many, report_subject},
    {"tune", "choices among runs", "a tuning", replaced, privacy::no_adjacency, many, tuning},
    {"radius", "choices among runs", "a search for a radius", replaced, privacy::no_adjacency, some,
     choice},
    {"boost", "choices among runs", "boosted runs", replaced, privacy::no_adjacency, some, choice},
};

}  // namespace

std::span<const NamedAudit> named_audits() { return table; }

const NamedAudit& find_audit(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &NamedAudit::name);
  if (found != std::end(table)) return *found;
  std::vector<std::string> names;
  for (const auto& one : table) names.emplace_back(one.name);
  throw base::UsageError("there is no audit '{}'; there are {}{}", name, fmt::join(names, ", "),
                         base::did_you_mean(name, names));
}

Subject subject_of(const NamedAudit& audit, const Guarantee& claim) {
  const auto& proved = claim.delta > 0 ? audit.with_delta : audit.pure;
  const auto& instead = claim.delta > 0 ? audit.pure : audit.with_delta;
  if (!proved.has(claim.adjacency)) {
    if (instead.has(claim.adjacency)) {
      if (claim.delta > 0) throw base::UsageError("{} is pure: leave out `delta`", audit.name);
      throw base::UsageError("{} needs a `delta` above 0", audit.name);
    }
    throw base::UsageError("{} is proved under {}, not under {}", audit.name,
                           to_string(proved.empty() ? instead : proved),
                           privacy::to_string(claim.adjacency));
  }
  if (!(claim.epsilon > 0) || !std::isfinite(claim.epsilon)) {
    throw base::UsageError("`epsilon` must be above 0 and finite, got {}", claim.epsilon);
  }
  return audit.make(audit.name, claim);
}

double usual_delta(const NamedAudit& audit) { return audit.pure.empty() ? 1e-5 : 0; }

Adjacency usual_adjacency(const NamedAudit& audit) {
  const auto& proved = audit.pure.empty() ? audit.with_delta : audit.pure;
  return proved.has(add_remove) ? add_remove : replace_one;
}

}  // namespace tacet::audit
