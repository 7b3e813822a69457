#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/local/learner_file.h"

namespace tacet::apps {

/// The learner of a state file that `tacet local simulate --state` wrote; nothing where the file is
/// no such state at all, or cannot be read. DataError where it was cut or edited, or is of another
/// version.
[[nodiscard]] std::optional<local::Learner> load_learner(const std::string& file);

/// What it is, how many reports it has read and where it stands. All of it is a function of
/// released reports.
[[nodiscard]] nlohmann::ordered_json learner_json(const local::Learner& learner);
[[nodiscard]] std::string learner_text(const local::Learner& learner);
/// What a learner of private reports does, in a sentence, by the name of its method; empty for
/// methods that see records.
[[nodiscard]] std::string_view learner_words(std::string_view method);

}  // namespace tacet::apps
