#include "tacet/model/export/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/ascii.h"

namespace tacet::model::internal {
namespace {

/// Keywords of C99, C11, C23 and C++ (for C++ programs that include the file), and names that
/// headers of an export, or compilers, may define as macros.
constexpr std::string_view reserved_words =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while alignas alignof bool constexpr false nullptr "
    "static_assert thread_local true typeof typeof_unqual asm fortran and and_eq bitand bitor "
    "catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast "
    "consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace "
    "new noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires "
    "static_cast template this throw try typeid typename using virtual wchar_t xor xor_eq linux "
    "unix i386 NULL NAN INFINITY MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS X_TLOSS "
    "signgam offsetof errno math_errhandling EOF BUFSIZ L_tmpnam I complex imaginary stdin stdout "
    "stderr CLOCKS_PER_SEC WEOF DECIMAL_DIG d_fileno h_addr h_errno sa_handler sa_sigaction "
    "sched_priority st_atime st_ctime st_mtime ";

/// Names of <errno.h>: all of them begin with E, as names of columns may.
constexpr std::string_view error_numbers =
    " E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD "
    "EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED "
    "ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT "
    "EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN "
    "EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC "
    "ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP "
    "ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA "
    "ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG "
    "ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM "
    "ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM "
    "EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO "
    "ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME "
    "ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL ";

/// Beginnings and ends of macros in the headers of C, one of which a program may read before the
/// export.
constexpr std::array<std::string_view, 22> reserved_beginnings{
    "M_",     "FP_",   "MATH_", "HUGE",  "INT",    "UINT", "PTRDIFF_", "SIZE_",
    "TACET_", "FE_",   "SIG",   "SEEK_", "EXIT_",  "LC_",  "FLT_",     "DBL_",
    "LDBL_",  "CHAR_", "si_",   "s6_",   "sigev_", "PRIX"};
constexpr std::array<std::string_view, 2> reserved_ends{"_MAX", "_MIN"};

// compilers need only compare this many characters of a name
constexpr std::size_t longest_identifier = 63;
constexpr std::size_t longest_literal = 4095;

bool is_letter(char c) { return data::lower_case(c) >= 'a' && data::lower_case(c) <= 'z'; }

bool is_identifier(std::string_view name) {
  if (name.empty() || name.size() > longest_identifier || !is_letter(name.front())) return false;
  const auto allowed = [](char c) { return is_letter(c) || data::is_digit(c) || c == '_'; };
  if (!std::ranges::all_of(name, allowed)) return false;
  const auto word = fmt::format(" {} ", name);
  if (reserved_words.find(word) != word.npos || error_numbers.find(word) != word.npos) return false;
  // As PRId64 and SCNuMAX.
  if ((name.starts_with("PRI") || name.starts_with("SCN")) && name.size() > 3 && name[3] >= 'a' &&
      name[3] <= 'z') {
    return false;
  }
  return std::ranges::none_of(reserved_beginnings,
                              [&](std::string_view part) { return name.starts_with(part); }) &&
         std::ranges::none_of(reserved_ends,
                              [&](std::string_view part) { return name.ends_with(part); });
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::vector<std::string> c_identifiers(std::span<const std::string> names) {
  std::unordered_set<std::string_view> taken;
  for (const auto& name : names) {
    if (is_identifier(name)) taken.insert(name);
  }
  std::vector<std::string> out;
  out.reserve(names.size());
  // After all places, so that it is not the place of another column.
  auto free = names.size();
  for (const auto& name : names) {
    auto identifier = is_identifier(name) ? name : fmt::format("column_{}", out.size() + 1);
    while (identifier != name && taken.contains(identifier)) {
      identifier = fmt::format("column_{}", ++free);
    }
    out.push_back(std::move(identifier));
  }
  return out;
}

bool is_c_string(std::string_view text) { return text.find('\0') == std::string_view::npos; }

std::string c_literal(std::string_view text) {
  if (text.size() > longest_literal) {
    throw base::UsageError(
        "a text of {} bytes is too long for a string literal of C, which holds at most {} bytes; "
        "it begins with '{}'",
        text.size(), longest_literal, text.substr(0, 40));
  }
  if (!is_c_string(text)) {
    throw base::UsageError("a text with a zero byte cannot be exported as C; it begins with '{}'",
                           text.substr(0, text.find('\0')));
  }
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    if (plain) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return out + "\"";
}

std::string c_comment(std::string_view text) {
  auto out = base::printable(text);
  replace_all(out, "*/", "* /");
  replace_all(out, "/*", "/ *");
  replace_all(out, "??", "? ?");
  if (out.ends_with('/') || out.ends_with('*')) out += ' ';
  return out;
}

}  // namespace tacet::model::internal
