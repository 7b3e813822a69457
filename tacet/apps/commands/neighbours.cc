#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/word_report.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/model/words/word_search.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view neighbours_examples =
    "  tacet neighbours vectors.vec king queen         the ten words nearest to each\n"
    "  tacet neighbours vectors.vec king --top 3\n"
    "  tacet neighbours vectors.vec --analogy man king woman\n"
    "      man is to king as woman is to ...: the words nearest to king - man + woman\n"
    "\n"
    "Nearness is the cosine of the angle between two vectors. Vectors are read as word2vec's text\n"
    "or binary form, or as an array (.npy) with its words beside it. They are public: no private\n"
    "text is read, and looking at them costs nothing.\n";

class Neighbours : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "neighbours", "Find the words nearest to others", neighbours_examples);
    options.add("vectors", vectors_, "FILE", "Word vectors, as `tacet embed` writes them",
                Form::required);
    options.add("words", words_, "WORD", "Words to begin from", Form::required);
    options.add("--top,-n", top_, "COUNT", "How many neighbours of each");
    options.flag("--analogy", analogy_,
                 "Of three words A B C: what is to C as B is to A, leaving these three out");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto top = static_cast<std::size_t>(count_option("--top", top_, 1));
    if (analogy_ && words_.size() != 3) {
      throw base::UsageError("--analogy takes three words, got {}", words_.size());
    }
    const model::WordSearch search(load_vectors(console, vectors_));
    std::vector<std::size_t> places;
    for (const auto& word : words_) places.push_back(place_of(search, word));
    std::vector<Found> all;
    if (analogy_) {
      const auto direction = search.direction({.a = places[0], .b = places[1], .c = places[2]});
      all.push_back({fmt::format("{} - {} + {}", words_[1], words_[0], words_[2]),
                     search.nearest(direction, top, places)});
    } else {
      for (std::size_t k = 0; k < places.size(); ++k) {
        all.push_back({words_[k], search.nearest(search.direction(places[k]), top,
                                                 std::span(places).subspan(k, 1))});
      }
    }
    console.result(console.json() ? json(search, all) : text(search, all));
  }

 private:
  struct Found {
    std::string asked;
    std::vector<model::WordNeighbour> neighbours;
  };

  [[nodiscard]] std::size_t place_of(const model::WordSearch& search,
                                     const std::string& word) const {
    if (const auto found = search.find(word)) return *found;
    std::vector<std::string> known;
    for (std::size_t k = 0; k < search.size(); ++k) known.push_back(search.word(k));
    throw base::UsageError("'{}' has no vector in '{}'{}", word, vectors_,
                           base::did_you_mean(word, known));
  }

  static std::string text(const model::WordSearch& search, const std::vector<Found>& all) {
    std::string out;
    for (const auto& found : all) {
      TextTable table({base::printable(found.asked), "cosine"});
      for (const auto& near : found.neighbours) {
        table.add({search.word(near.word), fmt::format("{:.4f}", near.cosine)});
      }
      out += (out.empty() ? "" : "\n") + table.text();
    }
    return out;
  }

  static std::string json(const model::WordSearch& search, const std::vector<Found>& all) {
    auto out = ordered_json::array();
    for (const auto& found : all) {
      auto neighbours = ordered_json::array();
      for (const auto& near : found.neighbours) {
        neighbours.push_back({{"word", search.word(near.word)}, {"cosine", near.cosine}});
      }
      out.push_back({{"of", found.asked}, {"neighbours", std::move(neighbours)}});
    }
    return json_text(out);
  }

  std::string vectors_;
  std::vector<std::string> words_;
  std::string top_ = "10";
  bool analogy_ = false;
};

}  // namespace

std::unique_ptr<Command> make_neighbours() { return std::make_unique<Neighbours>(); }

}  // namespace tacet::apps
