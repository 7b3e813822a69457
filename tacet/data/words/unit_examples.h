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

/// Which examples a text gives.
enum class ExampleForm {
  skipgram,  ///< each word with every other word of its window: bag {word}, context the other word
  cbow,      ///< each word with all others of its window: bag the window, context the word
  /// A record is one pair: target and context, perhaps followed by as many negatives as otherwise
  /// would be drawn. Records of another length, or with a word outside of the vocabulary, give no
  /// example.
  listed
};

enum class WindowKind {
  shrinking,  ///< each position's reach is uniform on 1, ..., window (Mikolov et al. 2013)
  fixed
};

enum class ExampleUnit {
  unit,  ///< the units of the corpus: a step uses at most max_examples_per_unit of each
  pair   ///< every single example: neither a sentence nor its author is protected
};

struct ExampleRule {
  ExampleForm form = ExampleForm::skipgram;
  std::int64_t window = 5;  ///< 1 to max_window; not used for `listed`
  WindowKind window_kind = WindowKind::shrinking;
  ExampleUnit unit = ExampleUnit::unit;
  std::int64_t max_examples_per_unit = 1;  ///< 1 to examples_per_unit_limit
  std::int64_t negatives = 5;              ///< 1 to max_negatives
  bool other_negatives = false;            ///< a negative is never the context
  /// Negatives are drawn once, from this public seed and the record's own words, instead of at
  /// every step. Only if each pair is a unit.
  std::optional<std::uint64_t> fixed_negatives{};
  std::vector<std::uint64_t> keep{};  ///< from keep_thresholds(); empty: all words stay

  static constexpr std::int64_t max_window = 100;
  static constexpr std::int64_t max_negatives = 100;
  static constexpr std::int64_t examples_per_unit_limit = std::int64_t{1} << 20;

  /// UsageError for public settings that make no sense: numbers out of range, fewer than two words,
  /// or, if each pair is a unit, a shrinking window or several examples.
  void validate(const Vocabulary& vocabulary) const;
  /// Whether the corpus is to be read with CorpusOptions::keep_unknown.
  [[nodiscard]] bool needs_unknown() const { return form == ExampleForm::listed; }
};

/// The examples that a unit gives in a step.
///
/// First, random draws leave out words (`keep`) and choose reaches. Then a uniformly random set of
/// at most max_examples_per_unit of the unit's examples takes part. The result depends only on the
/// unit's own records and random draws. So a unit more or less changes nothing for any other unit.
/// The corpus must outlive it. draw() may be called by several threads at once.
class UnitExamples {
 public:
  UnitExamples(const Corpus& corpus, ExampleRule rule, NegativeLaw law);

  /// Private, as the corpus is.
  [[nodiscard]] std::int64_t unit_count() const;

  /// Prefetches as Corpus does, if each record is a unit; does nothing for other units.
  [[gnu::always_inline]] void prefetch(std::int64_t unit, bool place) const {
    if (rule_.unit == ExampleUnit::unit && !corpus_.with_units()) corpus_.prefetch(unit, place);
  }

  class Drawer;

 private:
  friend class Drawer;
  struct Place {
    std::int64_t record;
    std::int32_t at;
    std::int32_t other;  // -1: the whole window
  };

  void list_pairs();

  const Corpus& corpus_;
  ExampleRule rule_;
  NegativeLaw law_;
  std::vector<Place> pairs_;  // if each pair is a unit
};

/// The state of one thread.
class UnitExamples::Drawer {
 public:
  explicit Drawer(const UnitExamples& examples) : examples_(examples) {}

  /// Appends the unit's examples of one step to `out`, if it has any. `draws` is a secret number,
  /// different for each unit and step.
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
  std::vector<Reach> reaches_;         // one per record position; a listed record has one
  std::vector<std::uint64_t> chosen_;  // one bit per example
};

}  // namespace tacet::data
