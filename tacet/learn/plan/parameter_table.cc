#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/plan/wide_parameters.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
constexpr auto real = ParameterType::real;
constexpr auto integer = ParameterType::integer;
constexpr auto text = ParameterType::text;

// Generous, and narrow enough that no computation leaves the range of doubles.
bool positive(double value) { return value >= 1e-9 && value <= 1e9; }
bool share(double value) { return value >= 0 && value <= 1; }

void read_epsilon(const Reading& given) {
  const auto epsilon = given.values.real("epsilon");
  if (!epsilon) {
    throw base::UsageError(
        "epsilon is missing; give --epsilon (1 is usual; inf trains without protection)");
  }
  (void)given.real([](double e) { return e > 0; }, "above 0, or inf for no protection");
  (void)given.real([](double e) { return e <= 1e4 || std::isinf(e); },
                   "at most 10000, or inf for no protection");
  given.options.epsilon = *epsilon;
}

void read_loss(const Reading& given) {
  const auto name = given.values.text("loss");
  const auto parameter = given.values.real("loss-parameter");
  const auto width = given.values.real("loss-width");
  if (name) {
    constexpr double usual = std::numeric_limits<double>::quiet_NaN();
    given.options.loss = model::make_loss(*name, parameter.value_or(usual), width.value_or(usual));
  } else if (parameter || width) {
    throw base::UsageError("{} needs a loss that has one; add --loss",
                           parameter ? "loss-parameter" : "loss-width");
  }
}

void read_knots(const Reading& given) {
  const auto value = given.text().value_or("auto");
  if (value == "auto") return;
  given.options.knots = value == "none" ? 0 : parse_integer("knots", value);
  if (value == "none" || (*given.options.knots >= 2 && *given.options.knots <= data::max_knots)) {
    return;
  }
  throw base::UsageError("knots must be {}, got {}", given.parameter.range, value);
}

void read_radius(const Reading& given) {
  const auto value = given.text();
  if (!value) return;
  given.options.radius_search = *value == "auto";
  if (given.options.radius_search) return;
  given.options.radius = parse_real("radius", *value);
  if (positive(*given.options.radius)) return;
  throw base::UsageError("radius must be {}, got {}", given.parameter.range, *value);
}

void read_calibration(const Reading& given) {
  const auto name = given.text();
  if (!name) return;
  const auto found = calibration_names.find(*name);
  if (!found) {
    std::vector<std::string> names;
    for (const auto& known : calibration_names.all) names.emplace_back(known.text);
    throw base::UsageError("calibration must be one of {}, got '{}'", fmt::join(names, ", "),
                           *name);
  }
  given.options.calibration = *found;
}

void read_feature_selection(const Reading& given) {
  const auto value = given.text().value_or("all");
  if (value == "all") return;
  given.options.feature_selection_auto = value == "auto";
  constexpr double usual = 0.3;  // of mu^2: docs/methods/feature-selection.md
  given.options.feature_selection =
      value == "auto" ? usual : parse_real("feature-selection", value);
  if (given.options.feature_selection > 0 && given.options.feature_selection < 1) return;
  throw base::UsageError("feature-selection must be {}, got {}", given.parameter.range, value);
}

/// Whether the options are not what they are when nothing is given.
template <auto field>
bool differs(const LinearOptions& options) {
  return options.*field != LinearOptions{}.*field;
}

constexpr std::array table{
    Parameter{"epsilon", real, "above 0 to 10^4, or inf", "none; must be given",
              "privacy loss bound; smaller protects more; inf trains without protection", guarantee,
              read_epsilon, nullptr},
    Parameter{"delta", real, "0 <= delta < 1; 0 where the method can be pure",
              "the largest power of ten below 1/public_row_count^1.1; 0 for pure methods",
              "probability mass on which epsilon may be exceeded", guarantee,
              [](const Reading& given) {
                given.options.delta = given.real([](double d) { return d >= 0 && d < 1; },
                                                 "below 1, and above 0 or 0");
              },
              differs<&LinearOptions::delta>},
    Parameter{"adjacency", text, "add_remove, zero_out or replace_one",
              "the method's own: add_remove for gradient, replace_one for most others",
              "which two data sets the guarantee makes indistinguishable", guarantee,
              [](const Reading& given) {
                if (const auto name = given.text()) {
                  given.options.adjacency = privacy::parse_adjacency(*name);
                }
              },
              nullptr},
    Parameter{"public-row-count", integer, "1 to 2^32", "the schema's public_row_count",
              "number of records, where it is public; scales steps and delta, never read from data",
              noise,
              [](const Reading& given) {
                given.options.public_row_count = given.integer(1, data::max_public_rows);
              },
              nullptr},
    Parameter{"method", text,
              "auto, gradient, output, phased, inverse-sensitivity, objective, regularized-output, "
              "ladder, localized, growth, phased-erm, adassp or sparse-groups",
              "auto: by public facts; with delta above 0 gradient, with delta 0 a pure method",
              "how the model is trained; docs/methods says which suits", noise,
              [](const Reading& given) {
                given.options.method = given.text().value_or(given.options.method);
              },
              nullptr},
    Parameter{
        "calibration", text, "tight, paper or the name of a paper", "tight",
        "whose schedule and noise, with what is proved about them: wang2021 (Wang, Lei, Ying, "
        "Zhang) for gradient and output, arora2022 (Arora, Bassily, Guzman, Menart, Ullah) for "
        "gradient and regularized-output, kifer2012 (Kifer, Smith, Thakurta) for objective, "
        "asi2021 (Asi, Levy, Duchi) for localized and growth, feldman2020 (Feldman, Koren, "
        "Talwar) for phased-erm, wang2018 (Wang) for adassp, zhang2021 (Zhang, Mironov, "
        "Hejazinia) for sparse-groups; paper is the method's own first one",
        noise, read_calibration, differs<&LinearOptions::calibration>},
    Parameter{
        "loss", text,
        "for classes logistic, hinge, smoothed_hinge, power_hinge, linearised_power_hinge, softmax "
        "(several at once); for numbers squared, huber, absolute, smoothed_absolute, pinball, "
        "smoothed_pinball, "
        "power_regression, linearised_power_regression, epsilon_insensitive, "
        "smoothed_epsilon_insensitive, squared_epsilon_insensitive, pseudo_huber, log_cosh; for a "
        "probability soft_logistic; for a count poisson, extended_poisson",
        "logistic for classes, squared for numbers, soft_logistic for a probability, poisson for a "
        "count",
        "what is minimised", utility, read_loss, nullptr},
    Parameter{
        "loss-parameter", real,
        "a quantile or insensitivity between 0 and 1, an exponent above 1 up to 2, else above "
        "0",
        "the loss's own",
        "the loss's own number: quantile of pinball losses, exponent of powers, insensitivity "
        "of insensitive losses, threshold of huber and pseudo_huber, reach of extended_poisson, "
        "width of smoothed_hinge and "
        "smoothed_absolute",
        utility, read_loss, nullptr},
    Parameter{"loss-width", real, "above 0", "0.25",
              "width of the smoothing of losses that also have a loss-parameter", utility,
              read_loss, nullptr},
    Parameter{"steps", integer, "1 to 10^6; for output to 10^9",
              "from the noise rule; for output one pass over the records",
              "number of gradient steps", noise,
              [](const Reading& given) { given.options.steps = given.integer(1, 1000000000); },
              differs<&LinearOptions::steps>},
    Parameter{"step-size", real, "1e-9 to 1e9", "from the noise rule",
              "length of a step along the mean gradient", utility,
              [](const Reading& given) { given.options.step_size = given.real(positive); },
              differs<&LinearOptions::step_size>},
    Parameter{"momentum", real, "0 to 0.9999", "0.9",
              "share of the last step that is kept in the next", utility,
              [](const Reading& given) {
                given.options.momentum = given.real([](double m) { return m >= 0 && m <= 0.9999; });
              },
              differs<&LinearOptions::momentum>},
    Parameter{"clipping-norm", real, "1e-9 to 1e9",
              "the loss's largest slope times the row norm; 0.5 for the squared loss",
              "bound on each record's gradient", noise,
              [](const Reading& given) { given.options.clipping_norm = given.real(positive); },
              differs<&LinearOptions::clipping_norm>},
    Parameter{"average", real, "0 to 1", "0.4; for encoding 1, units and several classes 0.5",
              "share of the last iterates that the model is the mean of; 0 keeps the last one",
              utility, [](const Reading& given) { given.options.average = given.real(share); },
              differs<&LinearOptions::average>},
    Parameter{
        "averaging", text, "suffix, uniform, last or polynomial", "suffix; for output uniform",
        "which mean of the iterates is the model; suffix: of the last share `average`", utility,
        [](const Reading& given) {
          if (!given.text()) return;
          given.options.averaging =
              static_cast<Averaging>(given.word({"uniform", "suffix", "last", "polynomial"}));
        },
        differs<&LinearOptions::averaging>},
    Parameter{"batch-size", integer, "1 to public_row_count", "all records; for output 1",
              "records a step; for samples their expected number", noise,
              [](const Reading& given) {
                given.options.batch_size = given.integer(1, std::int64_t{1} << 32);
              },
              differs<&LinearOptions::batch_size>},
    Parameter{"sampling", text,
              "for gradient poisson, fixed_size or partition; for output permutation, "
              "fresh_permutation, with_replacement or minibatch",
              "poisson; for output permutation",
              "how the records of a step are chosen; samples of gradient stay secret, orders of "
              "partition and output are public",
              noise, [](const Reading& given) { given.options.sampling = given.text(); },
              differs<&LinearOptions::sampling>},
    Parameter{
        "order-seed", integer, "0 to 2^63 - 1", "0",
        "seed of a public order of the records; it may be known, unlike that of the noise", utility,
        [](const Reading& given) {
          given.options.order_seed = given.integer(0, std::numeric_limits<std::int64_t>::max());
        },
        differs<&LinearOptions::order_seed>},
    Parameter{
        "step-decay", real, "0 to 1", "0", "step t has size step-size / t^step-decay", noise,
        [](const Reading& given) { given.options.step_decay = given.real(share).value_or(0); },
        differs<&LinearOptions::step_decay>},
    Parameter{
        "smoothing", text, "auto or off", "auto",
        "auto: kinks and powers of the loss are smoothed on a width tied to the step size, so "
        "that no step drives two runs apart",
        noise,
        [](const Reading& given) {
          given.options.smoothing = given.word({"auto", "off"}) == 0;
        },
        differs<&LinearOptions::smoothing>},
    Parameter{"weight-scale", real, "1e-9 to 1e9", "5 for classes, 2 for numbers; the radius",
              "size of weights worth reaching, which the step size is chosen for", noise,
              [](const Reading& given) { given.options.weight_scale = given.real(positive); },
              differs<&LinearOptions::weight_scale>},
    Parameter{"growth", real, "above 1 to 100", "2",
              "least exponent of the risk's growth that a chain of phases is made for", noise,
              [](const Reading& given) {
                given.options.growth = given.real([](double g) { return g > 1 && g <= 100; });
              },
              differs<&LinearOptions::growth>},
    Parameter{"record-use", text, "reuse or disjoint", "reuse",
              "whether each phase of a chain reads all records or a block of its own", noise,
              [](const Reading& given) {
                given.options.reuse = given.word({"reuse", "disjoint"}) == 0;
              },
              differs<&LinearOptions::reuse>},
    Parameter{"phases", integer, "1 to 64", "from the noise rule", "number of phases", noise,
              [](const Reading& given) { given.options.phases = given.integer(1, 64); },
              differs<&LinearOptions::phases>},
    Parameter{
        "l2", real, "0 to 1e9",
        "0; for regularized-output, objective and inverse-sensitivity what balances noise and "
        "bias",
        "weight of half the squared norm of the weights", utility,
        [](const Reading& given) {
          given.options.mean_l2 = given.real([](double l) { return l >= 0 && l <= 1e9; });
        },
        differs<&LinearOptions::mean_l2>},
    Parameter{"radius", text, "1e-9 to 1e9, or auto", "none",
              "keeps the weights in the ball of this radius; auto: of eight radii the best one, "
              "chosen privately",
              noise, read_radius,
              [](const LinearOptions& options) {
                return options.radius.has_value() || options.radius_search;
              }},
    Parameter{"boost", real, "above 0, below 1", "none",
              "trains on several blocks of the records and chooses among the models privately, so "
              "that all are bad with at most this probability",
              noise,
              [](const Reading& given) {
                given.options.boost = given.real([](double b) { return b > 0 && b < 1; });
              },
              differs<&LinearOptions::boost>},
    Parameter{"class-weights", text, "NAME=WEIGHT,..., 0.001 to 1000 each", "all 1",
              "public weights of the classes, as yes=3,no=1: each record's loss counts by its "
              "class's divided by the largest",
              utility, [](const Reading& given) { given.options.class_weights = given.text(); },
              differs<&LinearOptions::class_weights>},
    Parameter{"max-records-per-unit", integer, "1 to 2^20", "1",
              "how many records of one unit take part, where the schema has a unit column", noise,
              [](const Reading& given) {
                given.options.max_records_per_unit =
                    given.integer(1, std::int64_t{1} << 20).value_or(1);
              },
              differs<&LinearOptions::max_records_per_unit>},
    Parameter{"knots", text, "auto, none or 2 to 64",
              "auto: 8 where there is little noise and no column says otherwise",
              "hat functions beside each number, which make a curve of its weight", noise,
              read_knots, differs<&LinearOptions::knots>},
    Parameter{"standardise", text, "none, private, means or auto", "none",
              "private: a tenth of the budget for means and standard deviations of the numbers, "
              "which are "
              "then counted by them, and, of two classes, with much noise or without a number, for "
              "how often each category occurs; means: of numbers alone; auto: private where that "
              "was shown to win",
              noise,
              [](const Reading& given) {
                given.options.standardise = std::array{
                    Standardise::none, Standardise::demanded, Standardise::means,
                    Standardise::automatic}[given.word({"none", "private", "means", "auto"})];
              },
              differs<&LinearOptions::standardise>},
    Parameter{
        "feature-selection", text, "all, auto or a share between 0 and 1", "all",
        "the share of the budget's mu^2 that finds out which hashed, text or numbered features "
        "are worth having; training goes on with these; auto: 0.3 where they are many",
        noise, read_feature_selection, differs<&LinearOptions::feature_selection>},
    Parameter{
        "projection", text, "none, auto, countsketch, countsketch4, srht or gaussian", "none",
        "a public random map of all features to few, by which rows are read; auto: countsketch "
        "where there are more features than its width",
        noise,
        [](const Reading& given) {
          const auto name = given.text().value_or("none");
          if (name == "none") return;
          if (name != "auto") static_cast<void>(data::projection_of(name));
          given.options.projection = name;
        },
        differs<&LinearOptions::projection>},
    Parameter{"projection-width", integer, "8 to 65536",
              "from the number of records and the budget", "features behind the projection", noise,
              [](const Reading& given) {
                given.options.projection_width =
                    given.integer(data::Projection::min_width, data::Projection::max_width);
              },
              differs<&LinearOptions::projection_width>},
    Parameter{"projection-seed", integer, "0 to 2^63 - 1", "0",
              "seed of the projection: public, and in the model, unlike that of the noise", utility,
              [](const Reading& given) {
                given.options.projection_seed =
                    given.integer(0, std::numeric_limits<std::int64_t>::max());
              },
              differs<&LinearOptions::projection_seed>},
    Parameter{"group-column", text, "a feature of the schema", "none; must be given",
              "records are grouped by a public hash of it (sparse-groups)", noise,
              [](const Reading& given) { given.options.group_column = given.text(); },
              differs<&LinearOptions::group_column>},
    Parameter{"groups", integer, "1 to 2^30", "10", "groups of records", noise,
              [](const Reading& given) {
                given.options.groups = given.integer(1, std::int64_t{1} << 30);
              },
              differs<&LinearOptions::groups>},
    Parameter{"group-order", text, "in_turn or random", "in_turn",
              "how steps go through the groups: one after the other, or a secret draw each, which "
              "shrinks delta and not epsilon",
              noise,
              [](const Reading& given) {
                given.options.random_groups = given.word({"in_turn", "random"}) == 1;
              },
              differs<&LinearOptions::random_groups>},
    Parameter{"positives", integer, "1 to 2^20", "10", "coordinates that a step moves, at most",
              noise,
              [](const Reading& given) {
                given.options.positives = given.integer(1, std::int64_t{1} << 20);
              },
              differs<&LinearOptions::positives>},
    Parameter{"threshold", real, "0 to 1e9", "from public facts",
              "of the mean gradient in a coordinate that a step is to move; of wide models the "
              "noisy number of records that must have an id for its vectors to be moved",
              utility,
              [](const Reading& given) {
                given.options.threshold = given.real([](double t) { return t >= 0 && t <= 1e9; });
              },
              differs<&LinearOptions::threshold>},
    Parameter{"threads", integer, "1 to 1024", "as many as the machine has",
              "worker threads; the result is the same for any number", none, nullptr, nullptr},
};

}  // namespace

std::span<const Parameter> parameters() {
  static const auto all = [] {
    std::vector<Parameter> rows(table.begin(), table.end());
    // The program's own come last.
    rows.insert(rows.end() - 1, wide_parameters().begin(), wide_parameters().end());
    return rows;
  }();
  return all;
}

const Parameter* find_parameter(std::string_view name) {
  for (const auto& parameter : parameters()) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

}  // namespace tacet::learn
