#include "tacet/apps/spelling_options.h"

namespace tacet::apps {

void SpellingOptions::declare(Options& options) {
  options.add("--decimal", words_.decimal, "CHAR",
              "Sign before the digits of a fraction, . or , [default: .; schema draft guesses it]");
  options.add("--thousands", words_.thousands, "CHAR", "Sign between groups of three digits");
  options.add("--symbol", words_.symbols, "TEXT",
              "Text beside numbers that is dropped, such as $; may be given several times");
  options.add(
      "--encoding", words_.encoding, "NAME",
      "Characters of the file: utf-8, latin-1, windows-1252 or utf-16 [default: utf-8; schema "
      "draft guesses it]");
  options.offer("--encoding", {"utf-8", "latin-1", "windows-1252", "utf-16"});
  options.add(
      "--date-format", words_.date_format, "FORMAT",
      "How dates are written, such as %d.%m.%Y [default: ISO 8601; schema draft guesses it]");
  options.add("--comment", words_.comment, "CHAR", "Lines that begin with it are no records");
  options.add("--missing", words_.missing, "TEXT",
              "A further text that stands for a missing value; may be given several times");
}

}  // namespace tacet::apps
