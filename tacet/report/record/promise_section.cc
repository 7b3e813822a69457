#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/learn/inference/regression_table.h"
#include "tacet/ledger/promise.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/record/account_state.h"
#include "tacet/report/record/effects.h"
#include "tacet/report/record/model_panels.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using privacy::Adjacency;

std::string subject_of(const ReadResults& results) {
  if (results.all.size() > 1) {
    return fmt::format("all {} results together", results.all.size());
  }
  const auto kind = results.all.front().kind;
  return kind == ResultKind::model    ? "the model"
         : kind == ResultKind::schema ? "the schema"
                                      : "the result";
}

std::string protection_in_words(const Material& material) {
  const auto& results = material.results;
  const auto& joint = *material.joint;
  return fmt::format(
      "{}, against anyone who sees {}, even if they know all other records. What they can learn "
      "about {} is limited by {}; smaller numbers protect more. (This is {}differential privacy "
      "for {} neighbours.)",
      protected_in_words(results.together.privacy_unit), subject_of(results),
      difference_in_words(joint.adjacency, results.together.privacy_unit),
      guarantee_in_words(joint), joint.delta > 0 ? "(epsilon, delta)-" : "pure ",
      to_string(joint.adjacency));
}

/// What the most doubtful reader asks.
std::pair<std::string, std::string> attack_answer(const CertifiedCurve& curve,
                                                  Adjacency adjacency) {
  constexpr double wrong = 0.01;
  constexpr double prior = 0.1;
  const double found = largest_true_positive_rate(curve, wrong);
  const double after = share_after_positive(prior, wrong, found);
  if (adjacency == Adjacency::replace_one) {
    return {"Could somebody find out what I said?",
            fmt::format("Take two things that your record may say, and a test that raises a false "
                        "alarm in 1 % of cases. It recognises the true one in at most {} of cases; "
                        "guessing does in 1 %. Whoever gave it a chance of 10 % before may give it "
                        "at most {} after an alarm.",
                        percent_up(found), percent_up(after))};
  }
  return {"Could somebody find out that I took part?",
          fmt::format("A test that raises a false alarm for 1 % of those who did not take part "
                      "recognises at most {} of those who did; guessing recognises 1 %. Whoever "
                      "gave your taking part a chance of 10 % before may give it at most {} after "
                      "an alarm.",
                      percent_up(found), percent_up(after))};
}

std::string columns_answer(const Effects& effects, bool without_noise) {
  std::vector<std::string> told;
  std::vector<std::string> hidden;
  for (const auto* effect : panels_in_order(effects)) {
    (effect->told_from_noise() ? told : hidden).push_back(effect->name);
  }
  if (effects.curves) {
    std::string shares;
    for (const auto* effect : panels_in_order(effects)) {
      if (!effect->told_from_noise()) continue;
      shares += fmt::format("{}{} ({:.0f} %)", shares.empty() ? "" : ", ", in_quotes(effect->name),
                            100 * *effect->share);
    }
    return fmt::format(
        "By its share of the variance of predictions: {}. {}", shares.empty() ? "none" : shares,
        without_noise ? "There is no privacy noise in it."
        : effects.curves->noise
            ? fmt::format(
                  "Privacy's noise moves a prediction by a standard deviation of at most {}.",
                  privacy::rounded_up(*effects.curves->noise, 3))
            : std::string("How much of that is noise is not known."));
  }
  if (!effects.noise_stated) {
    return fmt::format("The largest effect first: {}. {}", listed(told),
                       without_noise ? "There is no privacy noise in these effects."
                                     : "How much of that is noise, this training does not state.");
  }
  if (told.empty()) {
    return "The noise hides that: no column has a larger effect than privacy's noise alone could "
           "make. This does not mean that the columns do not matter.";
  }
  std::string out =
      fmt::format("The effects of {} are clearly larger than privacy's noise.", listed(told));
  if (hidden.empty()) return out;
  return out + fmt::format(
                   " For {} this model cannot say: the effect is not larger than noise alone "
                   "could make it.",
                   listed(hidden));
}

/// The answer that a table of coefficients gives: which of them differ from 0.
std::optional<std::pair<std::string, std::string>> coefficients_answer(const ReadResult& result) {
  constexpr double level = 0.05;
  if (!result.recorded.model || !result.recorded.model->model.table) return std::nullopt;
  const auto lines = learn::table_lines(learn::table_of(result.recorded.model->model));
  const auto corrected = learn::holm_of_slopes(lines);
  std::vector<std::string> found;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (corrected[k] && *corrected[k] < level) found.push_back(lines[k].name);
  }
  return std::pair{
      fmt::format("Which coefficients of {} differ from 0?", in_quotes(result.name)),
      found.empty()
          ? std::string("None at the 5 % level, corrected for their number (Holm); the test "
                        "allows for sampling error and privacy's noise.")
          : fmt::format("At the 5 % level, corrected for their number (Holm): {}. The test allows "
                        "for sampling error and privacy's noise.",
                        listed(found))};
}

void add_answers(const Material& material, Section& section) {
  Answers answers;
  const auto& results = material.results;
  if (results.promises() && material.joint) {
    answers.items.emplace_back("Who is protected, and against what?",
                               protection_in_words(material));
    if (!material.together.empty()) {
      answers.items.push_back(attack_answer(material.together, material.joint->adjacency));
    }
  }
  const auto models = std::ranges::count(results.all, ResultKind::model, &ReadResult::kind);
  for (const auto& result : results.all) {
    if (const auto found = coefficients_answer(result)) answers.items.push_back(*found);
    const auto effects = panels_of(result);
    if (!effects) continue;
    answers.items.emplace_back(
        models == 1 ? std::string("Which columns matter?")
                    : fmt::format("Which columns matter in {}?", in_quotes(result.name)),
        columns_answer(*effects, std::isinf(result.receipt().guarantee.epsilon)));
  }
  const auto evaluated = std::ranges::find(results.all, ResultKind::evaluation, &ReadResult::kind);
  if (evaluated != results.all.end()) {
    answers.items.emplace_back("How good is it?", metrics_answer(*evaluated));
  } else if (models > 0) {
    answers.items.emplace_back("How good is it?",
                               "Not known: no metric was released with it. A noisy evaluation has "
                               "a cost of its own.");
  }
  if (results.all.empty() && material.request.account) {
    answers.items.emplace_back("Who is protected, and against what?",
                               account_promise(material.request.account->account));
  }
  if (material.request.account && results.all_protected() && results.all_follow()) {
    answers.items.emplace_back("May I run another model at epsilon 1?",
                               next_run_answer(material.request.account->account));
  }
  if (!answers.items.empty()) section.blocks.push_back({answers});
}

void add_verdicts(const ReadResults& results, Section& section) {
  for (const auto& result : results.all) {
    if (!result.is_protected()) {
      section.blocks.push_back({Paragraph{
          fmt::format("{}: {}", in_quotes(result.name), privacy::statement(result.receipt())),
          Emphasis::bad}});
    } else if (!result.fault.empty()) {
      section.blocks.push_back({Paragraph{
          fmt::format("{} states a guarantee that is not confirmed: {}. Nothing is promised here.",
                      in_quotes(result.name), result.fault),
          Emphasis::bad}});
    }
  }
  if (!results.all.empty() && !results.promises()) {
    section.blocks.push_back(
        {Paragraph{results.all.size() == 1
                       ? "This report makes no promise about anybody's privacy."
                       : "This report makes no promise about anybody's privacy: what one of its "
                         "results gives away, the guarantees of the others do not bring back."}});
  }
}

}  // namespace

Section promise_section(const Material& material) {
  Section section{"promise", "In a sentence", {}};
  const auto& results = material.results;
  add_verdicts(results, section);
  add_answers(material, section);
  if (results.all.size() > 1) {
    section.blocks.push_back({Paragraph{
        "The statement about all results together assumes that they come from the same records and "
        "that all settings were fixed before the first result was seen."}});
  }
  if (results.promises()) {
    Folded full{"The guarantee in full", {}};
    if (material.joint_prg_share > 0) {
      full.blocks.push_back({Paragraph{fmt::format(
          "All results together: {}. That the noise comes from a cipher adds at most {} to delta.",
          material.joint ? guarantee_in_words(*material.joint) : std::string(),
          privacy::rounded_up(material.joint_prg_share, 3))}});
    }
    for (const auto& result : results.all) {
      full.blocks.push_back({Paragraph{
          fmt::format("{}: {}", in_quotes(result.name), privacy::statement(result.receipt()))}});
    }
    section.blocks.push_back({std::move(full)});
  }
  section.blocks.push_back({Paragraph{
      "Not covered: conclusions that would be the same without you (that smoking harms is learned "
      "from others too), what people with access to the records can read there, what running time "
      "and memory use reveal, and anything released about the same records elsewhere."}});
  return section;
}

}  // namespace tacet::report
