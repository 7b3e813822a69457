#include "tacet/data/read/lines.h"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

constexpr std::size_t read_ahead = std::size_t{1} << 16;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string file_name,
                       std::size_t longest)
    : source_(without_byte_order_mark(std::move(source))),
      file_name_(std::move(file_name)),
      longest_(longest) {}

bool LineReader::refill() {
  if (exhausted_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + read_ahead) buffer_.resize(2 * end_ + read_ahead);
  const auto count = source_->read(std::span(buffer_).subspan(end_));
  end_ += count;
  exhausted_ = count == 0;
  return !exhausted_;
}

std::optional<std::string_view> LineReader::next() {
  ++line_;
  std::size_t seen = 0;  // bytes of the unfinished line
  for (;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    auto size = rest.find('\n', seen);
    const bool ended = size != std::string_view::npos;
    if (!ended) size = rest.size();
    if (size > longest_) fail(fmt::format("the line has more than {} bytes", longest_));
    if (!ended && refill()) {
      seen = size;
      continue;
    }
    if (!ended && size == 0) return std::nullopt;
    auto line = std::string_view(buffer_.data() + begin_, size);
    begin_ += size + (ended ? 1 : 0);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
}

void LineReader::fail(std::string_view message) const {
  throw base::DataError("{}:{}: {}", file_name_, line_, message);
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const auto from = line.find_first_not_of(" \t");
    if (from == std::string_view::npos) return;
    line.remove_prefix(from);
    const auto size = std::min(line.find_first_of(" \t"), line.size());
    fields.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
}

}  // namespace tacet::data
