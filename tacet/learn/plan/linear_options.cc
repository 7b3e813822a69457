#include "tacet/learn/plan/linear_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/plan/binding.h"

namespace tacet::learn {
namespace {

using O = LinearOptions;
using Architecture = model::WideArchitecture;

// As privacy and optimize spell them.
constexpr auto averaging_names = base::names<Averaging>({{Averaging::uniform, "uniform"},
                                                         {Averaging::suffix, "suffix"},
                                                         {Averaging::last, "last"},
                                                         {Averaging::polynomial, "polynomial"}});
constexpr auto standardise_names = base::names<Standardise>({{Standardise::none, "none"},
                                                             {Standardise::demanded, "private"},
                                                             {Standardise::means, "means"},
                                                             {Standardise::automatic, "auto"}});

void read_knots(const std::string& text, O& options) {
  if (text != "auto") options.knots = text == "none" ? 0 : parse_integer("knots", text);
}

void read_radius(const std::string& text, O& options) {
  options.radius_search = text == "auto";
  if (!options.radius_search) options.radius = parse_real("radius", text);
}

void read_feature_selection(const std::string& text, O& options) {
  if (text == "all") return;
  options.feature_selection_auto = text == "auto";
  constexpr double usual = 0.3;  // of mu^2: docs/methods/feature-selection.md
  options.feature_selection =
      options.feature_selection_auto ? usual : parse_real("feature-selection", text);
}

void read_hidden(const std::string& text, Architecture& architecture) {
  auto& hidden = architecture.hidden;
  hidden.clear();
  if (text == "none") return;
  for (const auto& part : split_at_commas(text)) hidden.push_back(parse_integer("hidden", part));
}

/// What has a meaning everywhere.
constexpr std::array common_bindings{
    bind<&O::public_row_count>("public-row-count"),
    bind<&O::method>("method"),
    bind<&O::adjacency>("adjacency", [](const std::string& text,
                                        O& o) { o.adjacency = privacy::parse_adjacency(text); }),
};

constexpr std::array linear_bindings{
    bind<&O::delta>("delta"),
    bind<&O::calibration, calibration_names>("calibration"),
    bind<&O::steps>("steps"),
    bind<&O::step_size>("step-size"),
    bind<&O::momentum>("momentum"),
    bind<&O::clipping_norm>("clipping-norm"),
    bind<&O::average>("average"),
    bind<&O::averaging, averaging_names>("averaging"),
    bind<&O::batch_size>("batch-size"),
    bind<&O::sampling>("sampling"),
    bind<&O::order_seed>("order-seed"),
    bind<&O::step_decay>("step-decay"),
    bind<&O::smoothing>("smoothing",
                        [](const std::string& text, O& o) { o.smoothing = text == "auto"; }),
    bind<&O::weight_scale>("weight-scale"),
    bind<&O::growth>("growth"),
    bind<&O::reuse>("record-use", [](const std::string& text, O& o) { o.reuse = text == "reuse"; }),
    bind<&O::phases>("phases"),
    bind<&O::mean_l2>("l2"),
    bind<&O::radius>("radius", read_radius),
    bind<&O::boost>("boost"),
    bind<&O::class_weights>("class-weights"),
    bind<&O::max_records_per_unit>("max-records-per-unit"),
    bind<&O::knots>("knots", read_knots),
    bind<&O::standardise, standardise_names>("standardise"),
    bind<&O::feature_selection>("feature-selection", read_feature_selection),
    bind<&O::projection>("projection",
                         [](const std::string& text, O& o) {
                           if (text != "none") o.projection = text;
                         }),
    bind<&O::projection_width>("projection-width"),
    bind<&O::projection_seed>("projection-seed"),
    bind<&O::group_column>("group-column"),
    bind<&O::groups>("groups"),
    bind<&O::random_groups>(
        "group-order", [](const std::string& text, O& o) { o.random_groups = text == "random"; }),
    bind<&O::positives>("positives"),
    bind<&O::threshold>("threshold"),
};

constexpr auto pooling_names =
    base::names<model::Pooling>({{model::Pooling::sum, "sum"}, {model::Pooling::mean, "mean"}});
constexpr auto linear_part_names = base::names<model::LinearPart>(
    {{model::LinearPart::present, "present"}, {model::LinearPart::absent, "absent"}});
constexpr auto head_names = base::names<model::WideHead>(
    {{model::WideHead::layers, "layers"}, {model::WideHead::two_tower, "two-tower"}});

constexpr std::array architecture_bindings{
    bind<&Architecture::width>("dim"),
    bind<&Architecture::hidden>("hidden", read_hidden),
    bind<&Architecture::pooling, pooling_names>("pooling"),
    bind<&Architecture::linear, linear_part_names>("linear-part"),
    bind<&Architecture::head, head_names>("head"),
    bind<&Architecture::left>("left"),
    bind<&Architecture::right>("right"),
};

constexpr std::array wide_bindings{
    bind<&WideOptions::optimizer>("optimizer"),
    bind<&WideOptions::selection>("selection"),
    bind<&WideOptions::selection_share>("selection-share"),
    bind<&WideOptions::start_seed>("start-seed"),
};

}  // namespace

std::optional<model::Loss> loss_of(const OptionValues& values) {
  constexpr double usual = std::numeric_limits<double>::quiet_NaN();  // the loss's own
  const auto number = [&](std::string_view name) {
    const auto given = values.find(name);
    return given == values.end() ? usual : parse_real(name, given->second);
  };
  const auto name = values.find("loss");
  if (name != values.end()) {
    return model::make_loss(name->second, number("loss-parameter"), number("loss-width"));
  }
  for (const auto* needing : {"loss-parameter", "loss-width"}) {
    if (!values.contains(needing)) continue;
    throw base::UsageError("{} needs a loss that has one; add `loss`",
                           base::parameter_name(needing));
  }
  return std::nullopt;
}

double checked_epsilon(const OptionValues& values) {
  const auto given = values.find("epsilon");
  if (given != values.end()) return parse_real("epsilon", given->second);
  throw base::UsageError(
      "epsilon is missing; give `epsilon` (1 is usual; inf trains without protection)");
}

LinearOptions linear_options(const ParameterValues& values, privacy::Adjacency adjacency) {
  LinearOptions options;
  options.epsilon = checked_epsilon(values.all());
  options.adjacency = adjacency;
  options.loss = loss_of(values.all());
  read_bound(common_bindings, values.all(), options);
  read_bound(linear_bindings, values.all(), options);
  read_bound(architecture_bindings, values.all(), options.wide.architecture);
  read_bound(wide_bindings, values.all(), options.wide);
  return options;
}

std::optional<std::string_view> given_beyond(const LinearOptions& options, std::string_view read) {
  if (const auto name = given_beyond(linear_bindings, options, read)) return name;
  if (const auto name = given_beyond(architecture_bindings, options.wide.architecture, read)) {
    return name;
  }
  return given_beyond(wide_bindings, options.wide, read);
}

double default_delta(std::int64_t row_count) {
  const double bound = std::pow(static_cast<double>(row_count), -1.1);
  int exponent = -1;
  // Parsing the decimal text gives the double nearest to the power of ten, which pow may miss.
  while (std::stod(fmt::format("1e{}", exponent)) >= bound) --exponent;
  return std::stod(fmt::format("1e{}", exponent));
}

}  // namespace tacet::learn
