#include "tacet/privacy/row_sum.h"

#include "tacet/base/error.h"

namespace tacet::privacy {

RowSum RowSum::from_certified(Certified /*proof*/, BoundedSum sum, RowSelection selection,
                              RowLayout layout, std::vector<std::int64_t> touched) {
  RowSum result(std::move(sum), std::move(selection), std::move(layout), std::move(touched));
  result.size_ = result.selection_.cell_count(result.layout_) + result.layout_.dense();
  std::int64_t held = result.size_;
  if (result.selection_.is_all()) {
    held = result.layout_.dense();
    for (const auto row : result.touched_) held += result.layout_.width(row);
  }
  if (static_cast<std::int64_t>(result.sum_.size()) != held) {
    throw base::InternalError("a sum over chosen rows has a number for each of their cells");
  }
  return result;
}

}  // namespace tacet::privacy
