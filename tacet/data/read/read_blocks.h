#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/read/text_blocks.h"

/// A file on several threads: the same records in the same order, units by the same numbers, and
/// the same first error as one thread finds.
namespace tacet::data::internal {

/// Reads texts of whole records, one after the other; one a thread.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  /// Appends the text's records. `look` is called now and then; it may take what is there. Faults
  /// are LineFaults, in lines of the text. How many lines it had.
  virtual std::int64_t read(std::unique_ptr<ByteSource> text, Dataset& records,
                            const std::function<void(Dataset&)>& look) = 0;
  /// The names of the units that were met since the last call, in the order of their numbers.
  virtual std::vector<std::string> take_units() { return {}; }
};

/// Each thread has its own encoder. More of them would wait for the one that cuts the file.
constexpr int max_readers = 16;

struct BlockFormat {
  std::function<std::unique_ptr<BlockReader>()> reader;
  DatasetShape shape;
  bool units = false;
  std::vector<std::string> missing;         ///< texts that are no unit
  std::int64_t lines_before = 0;            ///< of the file, in front of the blocks
  std::shared_ptr<base::Spool> spool = {};  ///< of the records; those of a block are in memory
};

/// Blocks of text: `threads` cut, read and append them.
[[nodiscard]] Dataset read_text(TextBlocks blocks, const BlockFormat& format,
                                base::ThreadPool& threads, const base::CancelToken* cancel);

}  // namespace tacet::data::internal
