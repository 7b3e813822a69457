#pragma once

/// What messages say about reports and budget.
namespace tacet::local {

/// Of a refusal before a report is booked. It says nothing of earlier calls: these may have sent a
/// report, or left a booking that the next one gives back.
inline constexpr const char* nothing_done = "this call has sent no report and spent nothing";

}  // namespace tacet::local
