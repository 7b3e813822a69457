#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tacet/data/encode/value.h"

/// Records in memory in one form, by which a ledger knows them again: equal records have equal
/// texts, others have others.
namespace tacet::run::internal {

/// Appends a value: a letter for its kind, then its spelling with its length.
void append_text(const data::Value& value, std::string& record);

/// Appends numbered features: the place and the bits of each that is not 0, so that a sparse record
/// has the text of the same dense one.
void append_text(std::span<const std::uint32_t> places, std::span<const double> values,
                 std::string& record);

}  // namespace tacet::run::internal
