#pragma once

#include <cstddef>
#include <span>

#include "tacet/data/encode/value.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/ledger/fingerprint.h"

/// Values in one form, by which a ledger knows records again: what a file spells and what a program
/// holds of it are one. A number is the double nearest to it, a fraction of single precision the
/// one of its shortest spelling (0.1 stays 0.1), and a whole number above 2^53 is itself; 1,5
/// is 1.5; 7, 7.0, 7e0 and the text 7 are one, and so are true and 1. Infinity is the largest
/// number, as 1e400 is, which others read as infinity. Texts have no blanks around them, a line end
/// within is LF, and a time at midnight is its day. The usual words for a missing value say
/// nothing, whatever a schema calls missing.
namespace tacet::run::internal {

/// Adds a value of the record that is being added.
void note(const data::Value& value, std::size_t column, ledger::Fingerprint& fingerprint);
void note_number(double number, std::size_t column, ledger::Fingerprint& fingerprint);

/// Adds a record of numbered features; the label is its first column.
void note(const data::internal::UniformRecord& record, ledger::Fingerprint& fingerprint);

}  // namespace tacet::run::internal
