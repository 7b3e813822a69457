#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet::data {

/// One example of a word model: does `context` occur together with the words of `bag`, or is it one
/// of the `negatives`, which were drawn at random? Words may repeat, and a negative may be the
/// context or in the bag. Skip-gram and pairs have one word in the bag; cbow has a window of them.
struct WordExample {
  std::span<const std::int32_t> bag;
  std::int32_t context = 0;
  std::span<const std::int32_t> negatives;
};

/// Examples, one after the other. It is reused from draw to draw to keep its memory.
class ExampleList {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Valid until the list changes.
  [[nodiscard]] WordExample operator[](std::size_t k) const {
    const auto& end = ends_[k];
    const auto from = k == 0 ? 0 : ends_[k - 1].negatives;
    const std::span words(words_);
    return {.bag = words.subspan(from, end.bag - from),
            .context = words_[end.bag],
            .negatives = words.subspan(end.bag + 1, end.negatives - end.bag - 1)};
  }
  void clear() {
    words_.clear();
    ends_.clear();
  }
  // Call add() for each word of an example: bag, context, negatives. Then call end().
  void add(std::int32_t word) { words_.push_back(word); }
  void add_context(std::int32_t word) {
    bag_end_ = words_.size();
    words_.push_back(word);
  }
  void end_example() { ends_.push_back({.bag = bag_end_, .negatives = words_.size()}); }

 private:
  struct Ends {
    std::size_t bag;
    std::size_t negatives;
  };
  std::vector<std::int32_t> words_;
  std::vector<Ends> ends_;
  std::size_t bag_end_ = 0;
};

}  // namespace tacet::data
