#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/capi/objects.h"
#include "tacet/capi/tacet.h"

/// What all functions of tacet.h share: no exception crosses into C, and no null pointer is
/// followed.
namespace tacet::capi::internal {

// A fixed size, so that the message "out of memory" needs no memory.
inline thread_local char last_error[2048] = "";

/// Keeps the text for tacet_last_error(); returns `kind`.
int failed(int kind, const char* text) noexcept;

/// Calls `work` and returns an exception as its number.
template <typename Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return TACET_OK;
  } catch (const base::Error& error) {
    return failed(static_cast<int>(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return failed(TACET_USAGE, "this takes more memory than there is; give fewer records");
  } catch (const std::exception& error) {
    return failed(TACET_INTERNAL, error.what());
  } catch (...) {
    return failed(TACET_INTERNAL, "an unknown exception");
  }
}

template <typename T>
T& wanted(T* pointer, const char* what) {
  if (pointer == nullptr) throw base::UsageError("{} is a null pointer", what);
  return *pointer;
}

[[nodiscard]] inline std::string_view text_of(const char* text, const char* what) {
  return &wanted(text, what);
}

template <typename Kind, typename... Arguments>
void make(std::uint64_t* out, Arguments&&... arguments) {
  auto& place = wanted(out, "the place of the result");
  place = Objects::all().add(std::make_shared<Kind>(std::forward<Arguments>(arguments)...));
}

/// Copies bytes to a C program's buffer of `size` bytes.
void hand_out_bytes(std::string_view bytes, char* out, std::size_t size, std::size_t* needed);
/// Copies a text with its terminating 0.
inline void hand_out(const std::string& text, char* out, std::size_t size, std::size_t* needed) {
  hand_out_bytes({text.c_str(), text.size() + 1}, out, size, needed);
}

}  // namespace tacet::capi::internal
