#include "tacet/data/read/read_blocks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "tacet/base/in_order.h"
#include "tacet/data/encode/unit_index.h"
#include "tacet/data/read/line_fault.h"

namespace tacet::data::internal {
namespace {

struct TextPiece {
  TextBlock block;
  bool rest = false;
};

/// A piece: a block of text, or the beginning of the rest of the file.
struct ReadPiece {
  explicit ReadPiece(const DatasetShape& shape) : records(shape) {}

  Dataset records;
  std::vector<std::string> units;
  std::int64_t lines = 0;
  std::optional<LineFault> fault;
  std::optional<TextBlock> rest;
};

class TextRun {
 public:
  TextRun(TextBlocks blocks, const BlockFormat& format, base::ThreadPool& threads,
          const base::CancelToken* cancel)
      : blocks_(std::move(blocks)),
        format_(format),
        cancel_(cancel),
        readers_(static_cast<std::size_t>(threads.size())),
        data_(empty(format.spool)),
        units_(format.missing),
        lines_(format.lines_before),
        stream_(threads,
                {.cut = [this](TextPiece& piece) { return cut(piece); },
                 .work = [this](int worker, TextPiece& piece) { return work(worker, piece); },
                 .take = [this](ReadPiece& piece) { take(piece); }},
                max_readers) {
    readers_[0] = format_.reader();  // shows faults in the columns even if there is no record
  }

  Dataset read() {
    stream_.run();
    return std::move(data_);
  }

 private:
  [[nodiscard]] Dataset empty(std::shared_ptr<base::Spool> spool = nullptr) const {
    Dataset records(format_.shape, std::move(spool));
    if (format_.units) records.declare_units();
    return records;
  }

  void look() const {
    if (cancel_ != nullptr) cancel_->throw_if_cancelled();
  }

  bool cut(TextPiece& piece) {
    look();
    const auto kind = blocks_.next(piece.block);
    piece.rest = kind == TextBlocks::Kind::rest;
    return kind != TextBlocks::Kind::end;
  }

  BlockReader& reader(int worker) {
    auto& reader = readers_[static_cast<std::size_t>(worker)];
    if (!reader) reader = format_.reader();
    return *reader;
  }

  ReadPiece work(int worker, TextPiece& piece) {
    ReadPiece result(format_.shape);
    if (piece.rest) {
      result.rest = std::exchange(piece.block, {});
      return result;
    }
    result.records = empty();
    auto& by = reader(worker);
    try {
      result.lines =
          by.read(text_source(piece.block.text()), result.records, [this](Dataset&) { look(); });
    } catch (const LineFault& fault) {
      result.fault = fault;  // the line of the block is known when the blocks before it were taken
    }
    result.units = by.take_units();
    return result;
  }

  void take(ReadPiece& piece) {
    if (piece.fault) throw piece.fault->moved(lines_);
    if (piece.rest) return take_rest(std::move(*piece.rest));
    append(piece.records, piece.units);
    lines_ += piece.lines;
  }

  void append(const Dataset& records, const std::vector<std::string>& units) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(units.size());
    for (const auto& name : units) numbers.push_back(units_.number(name));
    data_.append(records, numbers);
  }

  /// Reads on this thread what does not fit a block, while the other threads wait.
  void take_rest(TextBlock block) {
    const auto by = format_.reader();
    Dataset records = empty();
    const auto move_over = [&](Dataset& some) {
      look();
      append(some, by->take_units());
      some = empty();
    };
    try {
      by->read(blocks_.rest(std::move(block)), records, move_over);
    } catch (const LineFault& fault) {
      throw fault.moved(lines_);
    }
    move_over(records);
  }

  TextBlocks blocks_;
  const BlockFormat& format_;
  const base::CancelToken* cancel_;
  std::vector<std::unique_ptr<BlockReader>> readers_;
  Dataset data_;
  UnitIndex units_;
  std::int64_t lines_;  // before the next block
  base::InOrder<TextPiece, ReadPiece> stream_;
};

}  // namespace

Dataset read_text(TextBlocks blocks, const BlockFormat& format, base::ThreadPool& threads,
                  const base::CancelToken* cancel) {
  return TextRun(std::move(blocks), format, threads, cancel).read();
}

}  // namespace tacet::data::internal
