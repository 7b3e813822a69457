#pragma once

#include <string>
#include <vector>

namespace tacet::test {

/// Names that would do harm in a page if they were not text: markup, quotes, references, control
/// characters, marks of writing direction, bytes that are no UTF-8, very many letters.
inline std::vector<std::string> hostile_names() {
  const std::vector<std::string> seeds{"<script>alert(1)</script>",
                                       "</title><script>alert(1)</script>",
                                       "</style><img src=x onerror=alert(1)>",
                                       "\" onmouseover=\"alert(1)",
                                       "' onfocus='alert(1)",
                                       "<svg/onload=alert(1)>",
                                       "]]><b>",
                                       "<!--",
                                       "--><b>",
                                       "&lt;b&gt;",
                                       "&#60;b&#62;",
                                       "javascript:alert(1)",
                                       "line\nline\r\ntab\t",
                                       std::string("nul\0inside", 10),
                                       "\x1b[31mred\x1b[0m",
                                       "\xe2\x80\xae"
                                       "gnp.exe",                          // right-to-left override
                                       "\xe2\x81\xa6isolate\xe2\x81\xa9",  // isolates
                                       "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",  // Hebrew
                                       "\xff\xfe\x80",                      // no UTF-8
                                       "\xc0\xbcscript\xc0\xbe",            // overlong
                                       "\xc2\x85\xc2\x9bx",                 // C1
                                       "\xe4\xb8\xad\xe6\x96\x87",
                                       "\xf0\x9f\x98\x80\xf0\x9f\x98\x80",
                                       "",
                                       " "};
  std::vector<std::string> names;
  for (const auto& seed : seeds) {
    names.push_back(seed);
    names.push_back("age" + seed);
    names.push_back(seed + "'\"><");
    names.push_back(seed + seed + seed);
    names.push_back("<a href=\"" + seed + "\">");
    names.push_back("<" + seed);
    names.push_back(seed + "\\x00");
    std::string longer;
    while (longer.size() < 4000) longer += seed + "<b>";
    names.push_back(longer);
  }
  names.back() = std::string(100000, 'W');
  names[names.size() - 2] = std::string(50000, '<');
  return names;
}

}  // namespace tacet::test
