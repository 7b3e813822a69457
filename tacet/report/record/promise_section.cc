#include <fmt/format.h>

#include <cmath>

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
  return results.all.front().kind == ResultKind::model ? "the model" : "the result";
}

std::string protection_in_words(const Material& material) {
  const auto& results = material.results;
  const auto& joint = *material.joint;
  const auto share = privacy::rounded_up(material.joint_prg_share, 3);
  const bool single = results.all.size() == 1;
  return fmt::format(
      "Somebody who sees {} and knows everything about everybody else cannot tell {} much better "
      "than before. The guarantee is {}-differential privacy between {} neighbours: {}{}.",
      subject_of(results), difference_in_words(joint.adjacency, results.together.privacy_unit),
      joint.delta > 0 ? "(epsilon, delta)" : "epsilon", to_string(joint.adjacency),
      guarantee_in_words(joint),
      single ? ""
      : material.joint_prg_share > 0
          ? ", to which noise from the cipher adds " + share + " of delta"
          : "");
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
            fmt::format("A test of one answer against another that is wrong in 1 % of all cases "
                        "is right in at most {} of those with the other answer. To somebody who "
                        "gave that answer a chance of 10 %, a positive test makes it at most {}.",
                        percent_up(found), percent_up(after))};
  }
  return {"Could somebody find out that I took part?",
          fmt::format("A test that points at 1 % of those who did not take part finds at most {} "
                      "of those who did. To somebody who took 10 % for likely, a positive answer "
                      "of that test makes it at most {}.",
                      percent_up(found), percent_up(after))};
}

std::string columns_answer(const Effects& effects, bool without_noise) {
  std::vector<std::string> told;
  std::vector<std::string> hidden;
  for (const auto* effect : panels_in_order(effects)) {
    (effect->told_from_noise() ? told : hidden).push_back(effect->name);
  }
  if (!effects.noise_stated) {
    return fmt::format("By the range of their effects, the largest first: {}. {}", listed(told),
                       without_noise ? "There is no noise in them."
                                     : "Nothing is stated about the noise in them.");
  }
  std::string out = told.empty() ? "No column can be told from privacy's noise."
                                 : fmt::format("Most of all {}.", listed(told));
  if (!hidden.empty() && !told.empty()) {
    out += fmt::format(" The effect of {} cannot be told from privacy's noise.", listed(hidden));
  }
  return out;
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
  for (const auto& result : results.all) {
    const auto effects = panels_of(result);
    if (!effects) continue;
    answers.items.emplace_back(
        results.all.size() == 1 ? std::string("Which columns does the model use?")
                                : fmt::format("Which columns does {} use?", in_quotes(result.name)),
        columns_answer(*effects, std::isinf(result.receipt().guarantee.epsilon)));
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
          Look::bad}});
    } else if (!result.fault.empty()) {
      section.blocks.push_back({Paragraph{
          fmt::format("{} states a guarantee that is not confirmed: {}. Nothing is promised here.",
                      in_quotes(result.name), result.fault),
          Look::bad}});
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
        "What is said of all results together counts them as computed from the same records, with "
        "the settings of each fixed before the first one was seen."}});
  }
  if (results.promises()) {
    Folded full{"The guarantee of each result, in full", {}};
    for (const auto& result : results.all) {
      full.blocks.push_back({Paragraph{
          fmt::format("{}: {}", in_quotes(result.name), privacy::statement(result.receipt()))}});
    }
    section.blocks.push_back({std::move(full)});
  }
  if (results.all.empty() && material.request.account) {
    section.blocks.push_back({Paragraph{account_promise(material.request.account->account)}});
  }
  section.blocks.push_back({Paragraph{
      "Not covered: what is true of everybody and so of you (that smoking harms is learned without "
      "you), what somebody with access to the records reads there, what running time and memory "
      "reveal, and what is released about the same records elsewhere."}});
  return section;
}

}  // namespace tacet::report
