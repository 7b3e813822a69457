#include "tacet/learn/plan/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "tacet/base/error.h"

namespace tacet::learn {

const data::Target& target_of(const data::Schema& schema) {
  if (!schema.target) {
    throw base::UsageError("the schema names no target; add a [target] table to train");
  }
  return *schema.target;
}

std::int64_t outputs_of(const data::Target& target) {
  return target.class_count() > 2 ? target.class_count() : 1;
}

namespace {

/// The target in a message; labels beside a matrix have no name.
std::string called(const data::Target& target) {
  return target.column.empty() ? "the target" : "the target " + target.column;
}

bool asks_shares(const data::Target& target) {
  return target.regression() && target.number_kind() != data::NumberKind::number;
}

// Probabilities and counts have one loss each, whose minimiser is the mean.
model::Loss resolve_loss_of_shares(const data::Target& target, const CommonOptions& options,
                                   Reasons& reasons) {
  const bool count = target.number_kind() == data::NumberKind::count;
  if (!options.loss) {
    reasons.emplace_back(count ? "loss poisson: the target is a count"
                               : "loss soft_logistic: the target is a probability");
    return count ? model::Loss{model::PoissonLoss{}} : model::Loss{model::SoftLogisticLoss{}};
  }
  if (!count && std::holds_alternative<model::LogisticLoss>(*options.loss)) {
    reasons.emplace_back("loss soft_logistic: the logistic loss of a probability");
    return model::SoftLogisticLoss{};
  }
  const auto link = count ? model::Link::log : model::Link::logit;
  if (model::link_of(*options.loss) == link) return *options.loss;
  throw base::UsageError(
      "loss {} is not for {}, which {} is; leave `loss` out for {}, or describe the target by "
      "'lower' and 'upper' for a loss of numbers",
      model::loss_name(*options.loss), count ? "a count" : "a probability", called(target),
      count ? "poisson" : "soft_logistic");
}

/// Refuses softmax for two classes, which no schema can make right.
void refuse_softmax_of_two(const data::Target& target, const CommonOptions& options) {
  if (!options.loss || !std::holds_alternative<model::SoftmaxLoss>(*options.loss)) return;
  if (target.class_count() != 2) return;
  throw base::UsageError(
      "loss softmax is for three classes or more; for two it is the logistic loss: "
      "`loss=logistic`");
}

void refuse_own(const CommonOptions& options, const Problems& problems) {
  if (!options.loss || !model::is_custom(*options.loss)) return;
  if (!problems.custom_loss || options.paper()) {
    throw base::UsageError(
        "nothing is proved of a custom loss but what clipping gives; use method gradient "
        "with its tight calibration, at a finite epsilon");
  }
  // throws for a custom loss of which only the name is known
  static_cast<void>(model::loss_value(*options.loss, 0, 1));
}

model::Loss resolve_loss(const data::Target& target, const CommonOptions& options,
                         Reasons& reasons) {
  if (asks_shares(target)) return resolve_loss_of_shares(target, options, reasons);
  if (options.loss && model::properties(*options.loss).labels == model::Labels::shares) {
    const bool count = model::link_of(*options.loss) == model::Link::log;
    throw base::UsageError(
        "loss {0} is for {1}, but {2} is {3}; a target of kind \"{1}\" in the schema "
        "has labels for it",
        model::loss_name(*options.loss), count ? "count" : "probability", called(target),
        target.regression() ? "a number" : "a class");
  }
  if (!options.loss) {
    reasons.push_back(target.regression() ? "loss squared: the target is a number"
                      : target.class_count() == 2
                          ? "loss logistic: the target has two classes"
                          : fmt::format("loss logistic, one class against the rest for each of {} "
                                        "classes: one joint bound on a record's gradients",
                                        target.class_count()));
    return target.regression() ? model::Loss{model::SquaredLoss{}}
                               : model::Loss{model::LogisticLoss{}};
  }
  if (model::properties(*options.loss).classification == target.regression()) {
    throw base::UsageError("loss {} is for {}, but {} is {}", model::loss_name(*options.loss),
                           target.regression() ? "classes" : "numbers", called(target),
                           target.regression() ? "a number" : "a class");
  }
  return *options.loss;
}

/// Says which labels make a record positive. A misspelt label shows here, and nowhere in the
/// result.
std::string label_reason(const data::BinaryTarget& target, bool cases) {
  const auto listed = [](const std::vector<std::string>& labels) {
    return fmt::format("'{}'", fmt::join(labels, "', '"));
  };
  const auto unknown = target.unknown_is_positive ? "positive" : "negative";
  if (target.negative.empty()) {
    return fmt::format("labels: {} counts as positive, every other label as {}",
                       listed(target.positive), unknown);
  }
  const auto other = cases ? "records with another label weigh nothing"
                           : fmt::format("every other label as {}", unknown);
  return fmt::format("labels: {} counts as positive, {} as negative, {}", listed(target.positive),
                     listed(target.negative), other);
}

/// Throws if a plan is made without the check expect_offered.
void check_offered(const Problems& problems, const data::Target& target, const model::Loss& loss) {
  if (problems.targets.has(kind_of(target)) && problems.takes(loss)) return;
  throw base::InternalError("a plan for a target or loss that the method is not made for");
}

void resolve_shape(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                   const Problems& problems) {
  const auto& target = target_of(schema);
  plan.method = options.method;
  plan.privacy_unit = schema.unit.value_or(std::string(single_record));
  refuse_softmax_of_two(target, options);
  refuse_own(options, problems);
  if (const auto* binary = std::get_if<data::BinaryTarget>(&target.rule)) {
    plan.reasons.push_back(label_reason(*binary, problems.complete_cases));
  }
  plan.columns = schema.encoded_column_count();
  plan.projection = schema.projection;
  plan.outputs = outputs_of(target);
}

}  // namespace

void resolve_problem(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                     const Problems& problems) {
  resolve_shape(plan, schema, options, problems);
  plan.loss = resolve_loss(target_of(schema), options, plan.reasons);
  check_offered(problems, target_of(schema), plan.loss);
}

void resolve_squared_problem(MethodPlan& plan, const data::Schema& schema,
                             const CommonOptions& options, const Problems& problems) {
  resolve_shape(plan, schema, options, problems);
  if (options.loss && !std::holds_alternative<model::SquaredLoss>(*options.loss)) {
    throw base::UsageError("method {} solves the squared loss alone, got {}; leave `loss` out",
                           options.method, model::loss_name(*options.loss));
  }
  plan.loss = model::SquaredLoss{};
  check_offered(problems, target_of(schema), plan.loss);
  plan.reasons.add("loss squared: method {} solves no other{}", options.method,
                   plan.outputs > 1                      ? "; each class has an indicator"
                   : target_of(schema).class_count() > 0 ? "; the classes count as -1 and 1"
                                                         : "");
}

void refuse_no_penalty(const MethodPlan& plan, const std::optional<double>& l2, double usual) {
  if (l2 != 0.0) return;
  throw base::UsageError(
      "l2 must be above 0 for method {}, whose noise grows without bound as l2 falls to 0; leave "
      "it out for {:.4g}, which balances noise and bias here, or use `method=gradient`",
      plan.method, usual);
}

std::int64_t resolve_row_count(const data::Schema& schema, const CommonOptions& options) {
  if (options.public_row_count) return *options.public_row_count;
  if (schema.public_row_count) return *schema.public_row_count;
  throw base::UsageError(
      "public_row_count is missing: under {} tacet never uses the true number of records to set "
      "noise and steps; declare {} in the schema or with `public_row_count`",
      privacy::to_string(options.adjacency),
      options.adjacency == privacy::Adjacency::add_remove
          ? "the number, or a public guess of it,"
          : "the number, which is public under this adjacency,");
}

privacy::Delta resolve_delta(const CommonOptions& options, std::int64_t row_count,
                             Reasons& reasons) {
  if (options.delta == 0) {
    throw base::GuaranteeError(
        "delta = 0 asks for pure privacy, which the Gaussian noise of method {} cannot give; give "
        "a delta above 0",
        options.method);
  }
  if (options.delta) return privacy::Delta(*options.delta);
  const double usual = default_delta(row_count);
  reasons.add("delta {:g}: the largest power of ten below 1/{}^1.1", usual, row_count);
  return privacy::Delta(usual);
}

double resolve_delta_or_pure(const CommonOptions& options, std::int64_t row_count,
                             Reasons& reasons) {
  return options.delta == 0.0 ? 0 : resolve_delta(options, row_count, reasons).value();
}

}  // namespace tacet::learn
