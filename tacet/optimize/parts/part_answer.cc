#include "tacet/optimize/parts/part_answer.h"

#include "tacet/optimize/parts/bytes.h"

namespace tacet::optimize {
namespace {

constexpr std::string_view answer_mark = "tacet part answer 1\n";

}  // namespace

std::string PartAnswer::to_bytes() const {
  internal::ByteWriter out;
  out.text(answer_mark);
  out.sized_text(request);
  out.sized_text(version);
  out.number(part);
  out.sized_text(failure);
  out.number(rows);
  out.sized_text(records);
  out.numbers(std::span<const std::int64_t>(sums));
  return std::move(out).take();
}

PartAnswer PartAnswer::from_bytes(std::string_view bytes) {
  internal::ByteReader in(bytes, "answer of a part");
  in.expect(answer_mark);
  PartAnswer answer;
  answer.request = in.sized_text();
  answer.version = in.sized_text();
  answer.part = in.number<std::int64_t>();
  answer.failure = in.sized_text();
  answer.rows = in.number<std::int64_t>();
  answer.records = in.sized_text();
  answer.sums = in.numbers<std::int64_t>();
  in.expect_end();
  return answer;
}

}  // namespace tacet::optimize
