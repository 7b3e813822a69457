#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/report/figure/plot.h"

/// What a report shows, gathered into one value: pages, texts and tables of numbers are made of it
/// and of nothing else.
namespace tacet::report {

/// A number, a count or a text of a table. Pages round numbers; tables for programs do not.
using Cell = std::variant<double, std::int64_t, std::string>;

struct Table {
  std::string caption{};  ///< what it holds
  std::vector<std::string> header{};
  std::vector<std::vector<Cell>> rows{};
  std::vector<int> depths{};  ///< of rows that belong to rows above them; empty: all 0
};

enum class Emphasis { plain, good, bad };

struct Paragraph {
  std::string text;
  Emphasis emphasis = Emphasis::plain;
};

struct Heading {
  std::string text;
};

/// Questions that people ask, each with what the report says.
struct Answers {
  std::vector<std::pair<std::string, std::string>> items;
};

/// Drawings that belong together, the sentence that they show, and their numbers.
struct Picture {
  std::string name;  ///< of the file with its numbers; unique among the pictures
  std::string title;
  std::string finding;
  std::vector<Plot> plots;
  Table numbers;
};

/// Lines for a shell or a program.
struct Code {
  std::string text;
};

/// A list of points.
struct Points {
  std::vector<std::string> items;
};

struct Block;

/// Shown where a reader asks for it.
struct Folded {
  std::string summary;
  std::vector<Block> blocks;
};

/// Blocks that stand beside each other where there is room.
struct Beside {
  std::vector<Block> blocks;
};

struct Block {
  std::variant<Paragraph, Heading, Answers, Picture, Table, Code, Points, Folded, Beside> content;
};

struct Section {
  std::string id;  ///< as `only` names it
  std::string title;
  std::vector<Block> blocks;
};

struct Report {
  std::string title;
  std::string subtitle;
  /// Above everything else, and on each printed page: that nothing is protected, or that a stated
  /// guarantee does not follow.
  std::string banner{};
  std::vector<Section> sections{};
  /// Why a stated guarantee does not follow; empty: none is refuted.
  std::string refuted{};
};

}  // namespace tacet::report
