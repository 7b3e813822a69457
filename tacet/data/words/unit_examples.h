#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/words/corpus.h"
#include "tacet/data/words/word_example.h"
#include "tacet/data/words/word_laws.h"

namespace tacet::data {

/// What examples a text gives.
enum class ExampleForm {
  skipgram,  ///< each word with each other one of its window: bag {word}, context the other
  cbow,      ///< each word with all others of its window: bag the window, context the word
  /// A record is one pair: target and context, or these and as many negatives as are drawn
  /// otherwise. Records of another length, or with a word outside the vocabulary, give none.
  listed
};

enum class WindowKind {
  shrinking,  ///< each position's reach is uniform on 1, ..., window (Mikolov et al. 2013)
  fixed
};

enum class ExampleUnit {
  unit,  ///< the corpus' units: a step takes at most max_examples_per_unit of one
  pair   ///< each example by itself: neither a sentence nor its author is protected
};

struct ExampleRule {
  ExampleForm form = ExampleForm::skipgram;
  std::int64_t window = 5;  ///< 1 to max_window; nothing for `listed`
  WindowKind window_kind = WindowKind::shrinking;
  ExampleUnit unit = ExampleUnit::unit;
  std::int64_t max_examples_per_unit = 1;  ///< 1 to examples_per_unit_limit
  std::int64_t negatives = 5;              ///< 1 to max_negatives
  bool other_negatives = false;            ///< a negative is never the context
  /// Negatives are drawn once for all, from this public seed and the record's own words, instead of
  /// at each draw. Only where each pair is a unit.
  std::optional<std::uint64_t> fixed_negatives{};
  std::vector<std::uint64_t> keep{};  ///< keep_thresholds(); empty: all words stay

  static constexpr std::int64_t max_window = 100;
  static constexpr std::int64_t max_negatives = 100;
  static constexpr std::int64_t examples_per_unit_limit = std::int64_t{1} << 20;

  /// UsageError for what makes no sense by public facts: numbers out of range, fewer than two
  /// words, a shrinking window or several examples where each pair is a unit.
  void validate(const Vocabulary& vocabulary) const;
  /// Whether the corpus is to be read with CorpusOptions::keep_unknown.
  [[nodiscard]] bool needs_unknown() const { return form == ExampleForm::listed; }
};

/// The examples that a unit gives in a step.
///
/// Of all examples of the unit's records - after words were left out by `keep` and reaches drawn,
/// all by random draws - a uniformly random set of at most max_examples_per_unit takes part. They
/// follow from the unit's own records and its random draws alone, so that a unit more or less
/// changes nothing for any other one. The corpus must outlive it. draw() may be called by several
/// threads at once.
class UnitExamples {
 public:
  UnitExamples(const Corpus& corpus, ExampleRule rule, NegativeLaw law);

  /// Private, as the corpus is.
  [[nodiscard]] std::int64_t unit_count() const;

  /// As of a corpus, of units that are records of their own; nothing for others.
  [[gnu::always_inline]] void prefetch(std::int64_t unit, bool place) const {
    if (rule_.unit == ExampleUnit::unit && !corpus_.with_units()) corpus_.prefetch(unit, place);
  }

  class Drawer;

 private:
  friend class Drawer;
  struct Place {
    std::int64_t record;
    std::int32_t at;
    std::int32_t other;  // -1: all of the window
  };

  void list_pairs();

  const Corpus& corpus_;
  ExampleRule rule_;
  NegativeLaw law_;
  std::vector<Place> pairs_;  // where each pair is a unit
};

/// One thread's view of them.
class UnitExamples::Drawer {
 public:
  explicit Drawer(const UnitExamples& examples) : examples_(examples) {}

  /// Appends the unit's examples of one step to `out`: none where it has none. `draws` is a
  /// secret number of its own for each unit and step.
  void draw(std::int64_t unit, std::uint64_t draws, ExampleList& out);

 private:
  struct Reach {
    std::uint32_t first;  // place in words_
    std::uint32_t end;
  };

  void draw_pair(const UnitExamples::Place& pair, RandomDraws& draws, ExampleList& out) const;
  void gather(std::span<const std::int32_t> record, RandomDraws& draws);
  void gather_listed(std::span<const std::int32_t> record);
  [[nodiscard]] std::uint64_t examples_at(std::size_t at) const;
  void choose(std::uint64_t all, std::uint64_t chosen, RandomDraws& draws);
  void add_example(std::size_t at, std::uint64_t which, RandomDraws& draws, ExampleList& out) const;
  void add_negatives(RandomDraws& draws, std::int32_t context, ExampleList& out) const;
  [[nodiscard]] bool stays(std::int32_t word, RandomDraws& draws) const;

  const UnitExamples& examples_;
  std::vector<std::int32_t> words_;    // of the unit that stay
  std::vector<Reach> reaches_;         // of each of them; a listed record has one
  std::vector<std::uint64_t> chosen_;  // a bit an example
};

}  // namespace tacet::data
