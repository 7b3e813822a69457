#include "tacet/learn/plan/parameters.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
constexpr auto real = ParameterType::real;
constexpr auto integer = ParameterType::integer;
constexpr auto text = ParameterType::text;

constexpr std::array table{
    Parameter{"epsilon", real, "above 0 to 10^4, or inf", "none; must be given",
              "privacy loss bound; smaller protects more; inf trains without protection",
              guarantee},
    Parameter{"delta", real, "0 <= delta < 1; 0 where the method can be pure",
              "the largest power of ten below 1/public_row_count^1.1; 0 for pure methods",
              "probability mass on which epsilon may be exceeded", guarantee},
    Parameter{"adjacency", text, "add_remove, zero_out or replace_one",
              "the method's own: add_remove for gradient, replace_one for most others",
              "which two data sets the guarantee makes indistinguishable", guarantee},
    Parameter{"public-row-count", integer, "1 to 2^32", "the schema's public_row_count",
              "number of records, where it is public; scales steps and delta, never read from data",
              noise},
    Parameter{"method", text,
              "gradient, output, phased, inverse-sensitivity, objective, regularized-output, "
              "ladder, localized, growth or phased-erm",
              "gradient; ladder with delta 0",
              "how the model is trained; docs/methods says which suits", noise},
    Parameter{"calibration", text, "tight or paper", "tight",
              "paper: schedule and noise of Wang, Lei, Ying, Zhang (2021) for gradient and output, "
              "of Kifer, Smith, Thakurta (2012) for objective, of Asi, Levy, Duchi (2021) for "
              "localized and growth, with what is proved about them",
              noise},
    Parameter{
        "loss", text,
        "for classes logistic, hinge, smoothed_hinge, power_hinge, linearised_power_hinge; for "
        "numbers squared, huber, absolute, smoothed_absolute, pinball, smoothed_pinball, "
        "power_regression, linearised_power_regression, epsilon_insensitive, "
        "smoothed_epsilon_insensitive, squared_epsilon_insensitive",
        "logistic for classes, squared for numbers", "what is minimised", utility},
    Parameter{
        "loss-parameter", real,
        "a quantile or insensitivity between 0 and 1, an exponent above 1 up to 2, else above "
        "0",
        "the loss's own",
        "the loss's own number: quantile of pinball losses, exponent of powers, insensitivity "
        "of insensitive losses, threshold of huber, width of smoothed_hinge and "
        "smoothed_absolute",
        utility},
    Parameter{"loss-width", real, "above 0", "0.25",
              "width of the smoothing of losses that also have a loss-parameter", utility},
    Parameter{"steps", integer, "1 to 10^6; for output to 10^9",
              "from the noise rule; for output one pass over the records",
              "number of gradient steps", noise},
    Parameter{"step-size", real, "1e-9 to 1e9", "from the noise rule",
              "length of a step along the mean gradient", utility},
    Parameter{"momentum", real, "0 to 0.9999", "0.9",
              "share of the last step that is kept in the next", utility},
    Parameter{"clipping-norm", real, "1e-9 to 1e9",
              "the loss's largest slope times the row norm; 0.5 for the squared loss",
              "bound on each record's gradient", noise},
    Parameter{"average", real, "0 to 1", "0.5",
              "share of the last iterates that the model is the mean of; 0 keeps the last one",
              utility},
    Parameter{
        "averaging", text, "suffix, uniform, last or polynomial", "suffix; for output uniform",
        "which mean of the iterates is the model; suffix: of the last share `average`", utility},
    Parameter{"batch-size", integer, "1 to public_row_count", "all records; for output 1",
              "records a step; for samples their expected number", noise},
    Parameter{"sampling", text,
              "for gradient poisson, fixed_size or partition; for output permutation, "
              "fresh_permutation, with_replacement or minibatch",
              "poisson; for output permutation",
              "how the records of a step are chosen; samples of gradient stay secret, orders of "
              "partition and output are public",
              noise},
    Parameter{"order-seed", integer, "0 to 2^63 - 1", "0",
              "seed of a public order of the records; it may be known, unlike that of the noise",
              utility},
    Parameter{"step-decay", real, "0 to 1", "0", "step t has size step-size / t^step-decay", noise},
    Parameter{
        "smoothing", text, "auto or off", "auto",
        "auto: kinks and powers of the loss are smoothed on a width tied to the step size, so "
        "that no step drives two runs apart",
        noise},
    Parameter{"weight-scale", real, "1e-9 to 1e9", "5 for classes, 2 for numbers; the radius",
              "size of weights worth reaching, which the step size is chosen for", noise},
    Parameter{"growth", real, "above 1 to 100", "2",
              "least exponent of the risk's growth that a chain of phases is made for", noise},
    Parameter{"record-use", text, "reuse or disjoint", "reuse",
              "whether each phase of a chain reads all records or a block of its own", noise},
    Parameter{"phases", integer, "1 to 64", "from the noise rule", "number of phases", noise},
    Parameter{"l2", real, "0 to 1e9", "0", "weight of half the squared norm of the weights",
              utility},
    Parameter{"radius", real, "1e-9 to 1e9", "none", "keeps the weights in the ball of this radius",
              utility},
    Parameter{"records-a-unit", integer, "1 to 2^20", "1",
              "how many records of one unit take part, where the schema has a unit column", noise},
    Parameter{"threads", integer, "1 to 1024", "as many as the machine has",
              "worker threads; the result is the same for any number", none},
};

}  // namespace

std::span<const Parameter> parameters() { return table; }

const Parameter* find_parameter(std::string_view name) {
  for (const auto& parameter : table) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

void ParameterValues::set(std::string_view name, std::string value) {
  const auto* parameter = find_parameter(name);
  if (parameter == nullptr) {
    throw base::UsageError(fmt::format("there is no parameter named {}", name));
  }
  if (parameter->type == ParameterType::real) (void)parse_real(name, value);
  if (parameter->type == ParameterType::integer) (void)parse_integer(name, value);
  values_.insert_or_assign(std::string(name), std::move(value));
}

bool ParameterValues::given(std::string_view name) const { return values_.contains(name); }

std::optional<std::string> ParameterValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> ParameterValues::real(std::string_view name) const {
  const auto value = text(name);
  return value ? std::optional(parse_real(name, *value)) : std::nullopt;
}

std::optional<std::int64_t> ParameterValues::integer(std::string_view name) const {
  const auto value = text(name);
  return value ? std::optional(parse_integer(name, *value)) : std::nullopt;
}

double parse_real(std::string_view parameter, std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || std::isnan(value)) {
    throw base::UsageError(fmt::format(
        "{} must be a number, got '{}'; write it like 0.5, 1e-5 or inf", parameter, text));
  }
  return value;
}

std::int64_t parse_integer(std::string_view parameter, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) {
    throw base::UsageError(fmt::format("{} must be a whole number, got '{}'", parameter, text));
  }
  return value;
}

}  // namespace tacet::learn
