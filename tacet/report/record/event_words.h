#pragma once

#include "tacet/privacy/event.h"
#include "tacet/report/record/content.h"

namespace tacet::report {

/// What was released, line by line: in words, how often, with which noise, from which sample. Parts
/// stand below what they are parts of. Of very many parts the first ones, and how many more.
[[nodiscard]] Table events_table(const privacy::Event& event);

}  // namespace tacet::report
