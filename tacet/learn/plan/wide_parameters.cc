#include "tacet/learn/plan/wide_parameters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/linear_options.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
constexpr auto of_numbers = ParameterType::real;
constexpr auto of_counts = ParameterType::integer;
constexpr auto of_names = ParameterType::text;

// Whether the options are not what they are when nothing is given.
template <auto field>
bool architecture_differs(const LinearOptions& options) {
  return !(options.wide.architecture.*field == model::WideArchitecture{}.*field);
}
template <auto field>
bool wide_differs(const LinearOptions& options) {
  return options.wide.*field != WideOptions{}.*field;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void read_hidden(const Reading& given) {
  const auto value = given.text();
  if (!value) return;
  auto& hidden = given.options.wide.architecture.hidden;
  hidden.clear();
  if (*value == "none") return;
  for (const auto& part : split_at_commas(*value)) hidden.push_back(parse_integer("hidden", part));
  const bool fits = std::ranges::all_of(hidden, [](std::int64_t neurons) {
    return neurons >= 1 && neurons <= model::WideShape::max_neurons;
  });
  if (fits && std::ssize(hidden) <= model::WideShape::max_hidden_layers) return;
  throw base::UsageError("hidden must be {}, got {}", given.parameter.range, *value);
}

template <auto side>
void read_side(const Reading& given) {
  if (const auto value = given.text()) {
    given.options.wide.architecture.*side = split_at_commas(*value);
  }
}

using Architecture = model::WideArchitecture;

constexpr std::array wide_table{
    Parameter{"model", of_names, "linear or wide", "linear",
              "a coefficient a column, or vectors of ids and hidden layers, which method wide "
              "trains",
              utility,
              [](const Reading& given) {
                static_cast<void>(given.word({"linear", "wide"}));
              },
              nullptr},
    Parameter{"dim", of_counts, "1 to 4096", "8",
              "numbers of the vector of an id, where the schema has no `embedding`", utility,
              [](const Reading& given) {
                if (const auto width = given.integer(1, data::max_embedding)) {
                  given.options.wide.architecture.width = *width;
                }
              },
              architecture_differs<&Architecture::width>},
    Parameter{"hidden", of_names,
              "none, or the neurons of one or two layers, 1 to 4096 each: 32,16", "16",
              "hidden layers of ReLUs", utility, read_hidden,
              architecture_differs<&Architecture::hidden>},
    Parameter{"pooling", of_names, "sum or mean", "sum",
              "how the vectors of a record's ids in one column become one", utility,
              [](const Reading& given) {
                given.options.wide.architecture.pooling =
                    given.word({"sum", "mean"}) == 0 ? model::Pooling::sum : model::Pooling::mean;
              },
              architecture_differs<&Architecture::pooling>},
    Parameter{"linear-part", of_names, "present or absent", "present",
              "whether each id and number has a weight of its own beside the layers", utility,
              [](const Reading& given) {
                given.options.wide.architecture.linear = given.word({"present", "absent"}) == 0
                                                             ? model::LinearPart::present
                                                             : model::LinearPart::absent;
              },
              architecture_differs<&Architecture::linear>},
    Parameter{"head", of_names, "layers or two-tower", "layers",
              "two-tower: no layers, the dot product of the vectors of two sides", utility,
              [](const Reading& given) {
                given.options.wide.architecture.head = given.word({"layers", "two-tower"}) == 0
                                                           ? model::WideHead::layers
                                                           : model::WideHead::two_tower;
              },
              architecture_differs<&Architecture::head>},
    Parameter{"left", of_names, "columns with commas between them", "none",
              "of two towers: the columns of one side", utility, read_side<&Architecture::left>,
              architecture_differs<&Architecture::left>},
    Parameter{"right", of_names, "columns with commas between them", "none",
              "of two towers: the columns of the other side", utility,
              read_side<&Architecture::right>, architecture_differs<&Architecture::right>},
    Parameter{"optimizer", of_names, "sgd, momentum, adagrad or adam", "adam",
              "how a released step moves the numbers of a wide model", utility,
              [](const Reading& given) { given.options.wide.optimizer = given.text(); },
              wide_differs<&WideOptions::optimizer>},
    Parameter{"selection", of_names, "all or adafest", "all for small tables, else adafest",
              "the vectors that a step may move, and noises: all, or those of ids that noisily "
              "enough records have",
              noise, [](const Reading& given) { given.options.wide.selection = given.text(); },
              wide_differs<&WideOptions::selection>},
    Parameter{"selection-share", of_numbers, "0.001 to 0.9", "0.1",
              "share of the privacy that choosing ids gets (of mu squared)", noise,
              [](const Reading& given) {
                given.options.wide.selection_share =
                    given.real([](double s) { return s >= 1e-3 && s <= 0.9; });
              },
              wide_differs<&WideOptions::selection_share>},
    Parameter{"start-seed", of_counts, "0 to 2^62", "1",
              "of a wide model's numbers before training; public", utility,
              [](const Reading& given) {
                given.options.wide.start_seed = given.integer(0, std::int64_t{1} << 62);
              },
              wide_differs<&WideOptions::start_seed>},
};

}  // namespace

std::span<const Parameter> wide_parameters() { return wide_table; }

}  // namespace tacet::learn
