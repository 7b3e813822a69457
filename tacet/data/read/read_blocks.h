#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/read/text_blocks.h"

/// Reads a file on several threads. The records, their order, the numbers of units and the first
/// error are the same as with one thread.
namespace tacet::data::internal {

/// Reads texts of whole records, one after the other; one reader per thread.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  /// Appends the text's records. `look` is called from time to time, and may take the records so
  /// far. Faults are LineFaults, counted in lines of the text. Returns the number of lines.
  virtual std::int64_t read(std::unique_ptr<ByteSource> text, Dataset& records,
                            const std::function<void(Dataset&)>& look) = 0;
  /// The names of units that occurred since the last call, in the order of their numbers.
  virtual std::vector<std::string> take_units() { return {}; }
};

/// Each thread has its own encoder. More threads would wait for the one that divides the file.
constexpr int max_readers = 16;

struct BlockFormat {
  std::function<std::unique_ptr<BlockReader>()> reader;
  DatasetShape shape;
  bool units = false;
  std::vector<std::string> missing;         ///< texts that stand for no unit
  std::int64_t lines_before = 0;            ///< lines of the file before the blocks
  std::shared_ptr<base::Spool> spool = {};  ///< for the records; a block's records are in memory
};

/// Reads blocks of text: `threads` cut them, read them and append their records.
[[nodiscard]] Dataset read_text(TextBlocks blocks, const BlockFormat& format,
                                base::ThreadPool& threads, const base::CancelToken* cancel);

}  // namespace tacet::data::internal
