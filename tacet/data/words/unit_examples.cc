#include "tacet/data/words/unit_examples.h"

#include <algorithm>
#include <bit>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

constexpr std::size_t bits_per_word = 64;

void expect_between(std::string_view what, std::int64_t value, std::int64_t max) {
  if (value >= 1 && value <= max) return;
  throw base::UsageError("{} must be 1 to {}, got {}", what, max, value);
}

/// Whether a record is a listed pair: target, context, and perhaps all negatives.
bool is_listed_pair(std::span<const std::int32_t> record, std::int64_t negatives) {
  const auto with_negatives = static_cast<std::size_t>(negatives) + 2;
  return (record.size() == 2 || record.size() == with_negatives) &&
         std::ranges::find(record, Vocabulary::unknown) == record.end();
}

/// Draws that depend on a public seed, a record's words and the place of a pair in it. Nothing in
/// them depends on other records; the number of the record in the file would.
RandomDraws public_draws(std::uint64_t seed, std::span<const std::int32_t> record, std::int32_t at,
                         std::int32_t other) {
  auto hash = RandomDraws::mixed(seed);
  const auto add = [&](std::int32_t number) {
    hash = RandomDraws::mixed(hash + 0x9e3779b97f4a7c15U + static_cast<std::uint32_t>(number));
  };
  for (const auto word : record) add(word);
  add(at);
  add(other);
  return RandomDraws(hash);
}

}  // namespace

void ExampleRule::validate(const Vocabulary& vocabulary) const {
  if (vocabulary.size() < 2) {
    throw base::UsageError("the vocabulary has {} word; a pair needs two, and no text can give one",
                           vocabulary.size());
  }
  if (form != ExampleForm::listed) expect_between("window", window, max_window);
  expect_between("negatives", negatives, max_negatives);
  expect_between("pairs per unit", max_examples_per_unit, examples_per_unit_limit);
  if (!keep.empty() && keep.size() != static_cast<std::size_t>(vocabulary.size())) {
    throw base::InternalError("probabilities of other words");
  }
  if (!keep.empty() && form == ExampleForm::listed) {
    throw base::UsageError("words are left out at random of texts, not of listed pairs");
  }
  if (unit == ExampleUnit::pair) {
    if (form != ExampleForm::listed && window_kind != WindowKind::fixed) {
      throw base::UsageError(
          "where each pair is a unit its window is fixed: which pairs there are must not change "
          "from step to step");
    }
    if (max_examples_per_unit != 1) {
      throw base::UsageError("where each pair is a unit, a unit has one pair");
    }
  } else if (fixed_negatives) {
    throw base::UsageError("negatives are fixed only where each pair is a unit");
  }
}

UnitExamples::UnitExamples(const Corpus& corpus, ExampleRule rule, NegativeLaw law)
    : corpus_(corpus), rule_(std::move(rule)), law_(std::move(law)) {
  if (rule_.unit == ExampleUnit::pair) list_pairs();
}

void UnitExamples::list_pairs() {
  for (std::int64_t r = 0; r < corpus_.record_count(); ++r) {
    const auto record = corpus_.record(r);
    if (rule_.form == ExampleForm::listed) {
      if (is_listed_pair(record, rule_.negatives)) {
        pairs_.push_back({.record = r, .at = 0, .other = 1});
      }
      continue;
    }
    const auto size = static_cast<std::int64_t>(record.size());
    for (std::int64_t i = 0; i < size; ++i) {
      const auto first = std::max<std::int64_t>(0, i - rule_.window);
      const auto end = std::min(size, i + rule_.window + 1);
      const auto at = static_cast<std::int32_t>(i);
      if (rule_.form == ExampleForm::cbow) {
        if (end - first > 1) pairs_.push_back({.record = r, .at = at, .other = -1});
        continue;
      }
      for (auto j = first; j < end; ++j) {
        if (j == i) continue;
        pairs_.push_back({.record = r, .at = at, .other = static_cast<std::int32_t>(j)});
      }
    }
  }
}

std::int64_t UnitExamples::unit_count() const {
  return rule_.unit == ExampleUnit::pair ? static_cast<std::int64_t>(pairs_.size())
                                         : corpus_.unit_count();
}

bool UnitExamples::Drawer::stays(std::int32_t word, RandomDraws& draws) const {
  const auto& keep = examples_.rule_.keep;
  return keep.empty() || draws.heads(keep[static_cast<std::size_t>(word)]);
}

void UnitExamples::Drawer::add_negatives(RandomDraws& draws, std::int32_t context,
                                         ExampleList& out) const {
  const auto& rule = examples_.rule_;
  constexpr int max_tries = 64;  // for a law that puts nearly all weight on one word
  for (std::int64_t k = 0; k < rule.negatives; ++k) {
    auto word = examples_.law_.draw(draws);
    for (int i = 0; rule.other_negatives && word == context && i < max_tries; ++i) {
      word = examples_.law_.draw(draws);
    }
    if (rule.other_negatives && word == context) word = context == 0 ? 1 : 0;
    out.add(word);
  }
}

void UnitExamples::Drawer::draw(std::int64_t unit, std::uint64_t draws, ExampleList& out) {
  RandomDraws stream(draws);
  const auto& rule = examples_.rule_;
  const auto& corpus = examples_.corpus_;
  if (rule.unit == ExampleUnit::pair) {
    return draw_pair(examples_.pairs_[static_cast<std::size_t>(unit)], stream, out);
  }
  words_.clear();
  reaches_.clear();
  corpus.visit_unit(unit, [&](std::int64_t record) {
    if (rule.form == ExampleForm::listed) {
      gather_listed(corpus.record(record));
    } else {
      gather(corpus.record(record), stream);
    }
  });
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < reaches_.size(); ++at) all += examples_at(at);
  const auto max = static_cast<std::uint64_t>(rule.max_examples_per_unit);
  choose(all, std::min(all, max), stream);
  std::size_t at = 0;
  std::uint64_t before = 0;  // number of examples at the positions before `at`
  for (std::size_t w = 0; w < chosen_.size(); ++w) {
    for (auto left = chosen_[w]; left != 0; left &= left - 1) {
      const auto index = w * bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
      for (; before + examples_at(at) <= index; ++at) before += examples_at(at);
      add_example(at, index - before, stream, out);
    }
  }
}

// A uniformly random subset of the numbers below `all` (R. Floyd; Bentley and Floyd 1987).
void UnitExamples::Drawer::choose(std::uint64_t all, std::uint64_t chosen, RandomDraws& draws) {
  chosen_.assign((all + bits_per_word - 1) / bits_per_word, 0);
  const auto take = [&](std::uint64_t index) {
    auto& word = chosen_[index / bits_per_word];
    const auto bit = std::uint64_t{1} << (index % bits_per_word);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  };
  for (auto last = all - chosen; last < all; ++last) {
    if (chosen == all || !take(draws.below(last + 1))) take(last);
  }
}

void UnitExamples::Drawer::gather(std::span<const std::int32_t> record, RandomDraws& draws) {
  const auto& rule = examples_.rule_;
  const auto from = words_.size();
  for (const auto word : record) {
    if (stays(word, draws)) words_.push_back(word);
  }
  const auto window = static_cast<std::uint64_t>(rule.window);
  for (auto at = from; at < words_.size(); ++at) {
    const auto reach = rule.window_kind == WindowKind::fixed ? window : 1 + draws.below(window);
    const auto first = at - std::min<std::uint64_t>(reach, at - from);
    const auto end = std::min<std::uint64_t>(words_.size(), at + reach + 1);
    reaches_.push_back(
        {.first = static_cast<std::uint32_t>(first), .end = static_cast<std::uint32_t>(end)});
  }
}

void UnitExamples::Drawer::gather_listed(std::span<const std::int32_t> record) {
  if (!is_listed_pair(record, examples_.rule_.negatives)) return;
  const auto first = words_.size();
  words_.insert(words_.end(), record.begin(), record.end());
  reaches_.push_back({.first = static_cast<std::uint32_t>(first),
                      .end = static_cast<std::uint32_t>(words_.size())});
}

std::uint64_t UnitExamples::Drawer::examples_at(std::size_t at) const {
  const auto others = reaches_[at].end - reaches_[at].first - 1;
  return examples_.rule_.form == ExampleForm::skipgram ? others : std::uint64_t{others > 0};
}

void UnitExamples::Drawer::add_example(std::size_t at, std::uint64_t which, RandomDraws& draws,
                                       ExampleList& out) const {
  const auto [first, end] = reaches_[at];
  auto context = words_[at];
  if (examples_.rule_.form == ExampleForm::listed) {
    context = words_[first + 1];
    out.add(words_[first]);
    out.add_context(context);
    for (auto k = first + 2; k < end; ++k) out.add(words_[k]);
    if (end - first == 2) add_negatives(draws, context, out);
    return out.end_example();
  }
  if (examples_.rule_.form == ExampleForm::cbow) {
    for (auto k = first; k < end; ++k) {
      if (k != at) out.add(words_[k]);
    }
  } else {
    const auto other = first + which;
    out.add(context);
    context = words_[other < at ? other : other + 1];
  }
  out.add_context(context);
  add_negatives(draws, context, out);
  out.end_example();
}

void UnitExamples::Drawer::draw_pair(const UnitExamples::Place& pair, RandomDraws& draws,
                                     ExampleList& out) const {
  const auto& rule = examples_.rule_;
  const auto record = examples_.corpus_.record(pair.record);
  const auto at = static_cast<std::size_t>(pair.at);
  auto context = record[at];
  if (!stays(context, draws)) return;
  if (pair.other >= 0) {
    const auto target = context;
    context = record[static_cast<std::size_t>(pair.other)];
    if (!stays(context, draws)) return;
    out.add(target);
  } else {
    const auto window = static_cast<std::size_t>(rule.window);
    const auto end = std::min(record.size(), at + window + 1);
    for (auto k = at - std::min(window, at); k < end; ++k) {
      if (k != at && stays(record[k], draws)) out.add(record[k]);
    }
  }
  out.add_context(context);
  if (rule.form == ExampleForm::listed && record.size() > 2) {
    for (std::size_t k = 2; k < record.size(); ++k) out.add(record[k]);
  } else if (rule.fixed_negatives) {
    auto fixed = public_draws(*rule.fixed_negatives, record, pair.at, pair.other);
    add_negatives(fixed, context, out);
  } else {
    add_negatives(draws, context, out);
  }
  out.end_example();
}

}  // namespace tacet::data
