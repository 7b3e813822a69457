#pragma once

#include <cstdint>

#include "tacet/base/names.h"
#include "tacet/local/protocol/frame.h"

namespace tacet::local {

/// What a server answers with: codes that stay the same, a counter each.
enum class Reason : std::uint8_t {
  counted,       ///< a report, or the same one again
  slot,          ///< a place in the round
  unknown_path,  ///< with the versions that are spoken
  unknown_model,
  wrong_method,
  bad_request,
  missing_length,
  wrong_length,
  wrong_type,
  missing_token,
  unknown_token,
  cleartext_token,  ///< a token over plain HTTP from another machine
  ended_token,      ///< it was revoked, or has expired
  used_token,       ///< another report came under it
  repeated_report,  ///< its random number came before
  wrong_magic,
  wrong_version,
  wrong_checksum,
  wrong_task,
  wrong_mechanism,
  wrong_dimension,
  wrong_epsilon,
  wrong_flags,
  wrong_round,
  wrong_model,
  zero_report,
  too_late,    ///< beyond the staleness of the task
  round_full,  ///< no slot now: come again
  finished,    ///< all rounds are done, or the task was closed
  too_often,   ///< requests of one address
  busy,        ///< the queue is full
  storage      ///< the state cannot be written at the moment
};

inline constexpr auto reason_names = base::names<Reason>({
    {Reason::counted, "counted"},
    {Reason::slot, "slot"},
    {Reason::unknown_path, "unknown_path"},
    {Reason::unknown_model, "unknown_model"},
    {Reason::wrong_method, "wrong_method"},
    {Reason::bad_request, "bad_request"},
    {Reason::missing_length, "missing_length"},
    {Reason::wrong_length, "wrong_length"},
    {Reason::wrong_type, "wrong_type"},
    {Reason::missing_token, "missing_token"},
    {Reason::unknown_token, "unknown_token"},
    {Reason::cleartext_token, "cleartext_token"},
    {Reason::ended_token, "ended_token"},
    {Reason::used_token, "used_token"},
    {Reason::repeated_report, "repeated_report"},
    {Reason::wrong_magic, "wrong_magic"},
    {Reason::wrong_version, "wrong_version"},
    {Reason::wrong_checksum, "wrong_checksum"},
    {Reason::wrong_task, "wrong_task"},
    {Reason::wrong_mechanism, "wrong_mechanism"},
    {Reason::wrong_dimension, "wrong_dimension"},
    {Reason::wrong_epsilon, "wrong_epsilon"},
    {Reason::wrong_flags, "wrong_flags"},
    {Reason::wrong_round, "wrong_round"},
    {Reason::wrong_model, "wrong_model"},
    {Reason::zero_report, "zero_report"},
    {Reason::too_late, "too_late"},
    {Reason::round_full, "round_full"},
    {Reason::finished, "finished"},
    {Reason::too_often, "too_often"},
    {Reason::busy, "busy"},
    {Reason::storage, "storage"},
});
inline constexpr std::size_t reason_count = reason_names.all.size();

}  // namespace tacet::local
