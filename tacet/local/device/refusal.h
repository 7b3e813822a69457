#pragma once

/// What messages say about reports and budget.
namespace tacet::local {

/// A refusal before a report is booked. It says nothing about earlier calls, which may have sent a
/// report, or left a booking that the next call gives back.
inline constexpr const char* nothing_done = "this call has sent no report and spent nothing";

}  // namespace tacet::local
