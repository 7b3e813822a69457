#include "tacet/apps/describe_learner.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tacet/apps/describe.h"
#include "tacet/base/atomic_file.h"
#include "tacet/numeric/sums.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t max_bytes = std::int64_t{1} << 30;

bool begins_like_a_state(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, local::learner_magic.size()> first{};
  stream.read(first.data(), first.size());
  return stream.gcount() == std::ssize(first) &&
         std::string_view(first.data(), first.size()) == local::learner_magic;
}

void describe(ordered_json& out, const local::Banco& learner) {
  const auto& settings = learner.settings();
  const auto& state = learner.state();
  out["dimension"] = settings.dimension;
  out["rounds_read"] = state.observed;
  out["certificate"] = local::name_of(settings.certificate.kind);
  out["range"] = settings.certificate.range;
  out["initial_wealth"] = settings.initial_wealth;
  out["averaging"] = settings.average == local::PointAverage::anytime ? "anytime" : "uniform";
  out["log_wealth_bound"] = learner.wealth().log_bound();
  out["magnitude"] = learner.magnitude();
}

void describe(ordered_json& out, const local::LocalSgd& learner) {
  const auto& settings = learner.settings();
  constexpr std::array averages{"uniform", "suffix", "last"};
  out["dimension"] = settings.dimension;
  out["rounds_read"] = learner.state().observed;
  out["step_size"] = settings.step_size;
  out["averaging"] = averages[static_cast<std::size_t>(settings.average)];
}

}  // namespace

std::optional<local::Learner> load_learner(const std::string& file) {
  if (!begins_like_a_state(file)) return std::nullopt;
  return local::learner_from_bytes(base::read_file(file, max_bytes), file);
}

std::string_view learner_words(std::string_view method) {
  if (method == "banco") {
    return "Learner: banco has no step size. In each round it bets a share of a wealth that it "
           "began "
           "with against the mean of the devices' private reports; what it bets is the model.";
  }
  if (method == "local-sgd") {
    return "Learner: local-sgd makes a step of a size that was given, in each round, against the "
           "mean of the devices' private reports.";
  }
  return {};
}

ordered_json learner_json(const local::Learner& learner) {
  ordered_json out{
      {"learner", std::holds_alternative<local::Banco>(learner) ? "banco" : "local-sgd"}};
  std::visit(
      [&](const auto& kept) {
        describe(out, kept);
        const auto& bounded = kept.state().bounded;
        if (bounded != local::BoundedRounds{}) {
          out["rounds_cut"] = bounded.cut;
          out["rounds_refused"] = bounded.refused;
          out["diverged"] = kept.diverged();
        }
        out["model_norm"] = numeric::norm(kept.model());
      },
      learner);
  return out;
}

std::string learner_text(const local::Learner& learner) {
  const auto facts = learner_json(learner);
  std::string text = "State of a learner of private reports; it goes on from here bit for bit.\n";
  text += paragraph(std::string(learner_words(facts["learner"].get<std::string>())));
  for (const auto& [key, value] : facts.items()) {
    text += fmt::format("  {:<24} {}\n", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace tacet::apps
