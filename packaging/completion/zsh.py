"""Completions for zsh, with its _arguments."""

import options as table_of

HEAD = r"""#compdef tacet
# Completions of tacet for zsh, made from the program's own table of options.

_tacet_columns() {
  local schema='' k
  for ((k = 1; k < ${#words}; ++k)); do
    case ${words[k]} in
      --schema | -s) schema=${(Q)words[k + 1]} ;;
      --schema=*) schema=${(Q)words[k]#--schema=} ;;
    esac
  done
  [[ -r $schema ]] || return 1
  local -a columns
  columns=("${(@f)$(awk '@AWK@' $schema)}")
  compset -P '*,'
  compadd -a columns
}

_tacet() {
  local -a first second
  local command=''
  if ((CURRENT == 2)); then
    first=(@FIRST@)
    _describe command first
    return
  fi
  command=${words[2]}
  case $command in
@SECOND@
  esac
  case $command in
@OPTIONS@
    *) _files ;;
  esac
}

_tacet "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def described(words):
    return " ".join(quoted(f"{word}:{table_of.short(text)}") for word, text in words.items())


def specification(option):
    """One for each name, which excludes the others unless it may be repeated."""
    about = table_of.short(option["help"])
    for sign in "\\[]:":
        about = about.replace(sign, "\\" + sign)
    kind = table_of.value_of(option)
    rest = ""
    if kind is not None:
        action = {"words": "(" + " ".join(option.get("words", ())) + ")", "files": "_files",
                  "folders": "_files -/", "columns": "_tacet_columns", "": " "}[kind]
        rest = f":{option['kind'].replace(':', chr(92) + ':')}:{action}"
    many = "*" if option.get("repeated") else ""
    names = option["names"]
    for name in names:
        sign = "=" if rest and name.startswith("--") else ""
        others = "" if many or len(names) == 1 else "(" + " ".join(names) + ")"
        yield quoted(f"{others}{many}{name}{sign}[{about}]{rest}")


def text(table):
    lines = []
    for command, (_, options) in table_of.commands(table).items():
        given = " ".join(one for option in options for one in specification(option))
        place = "':command:(" + " ".join(table_of.first_words(table)) + ")'" \
            if command == "help" else "'*:file:_files'"
        lines.append(f"    {quoted(command)}) _arguments -s {given} {place} ;;")
    second = []
    for group in (one["name"] for one in table["groups"]):
        second.append(f"    {group})\n      if ((CURRENT == 3)); then\n"
                      f"        second=({described(table_of.second_words(table, group))})\n"
                      "        _describe command second\n        return\n      fi\n"
                      "      command=\"$command ${words[3]}\"\n"
                      "      shift words\n      ((CURRENT--)) ;;")
    # _arguments takes the first word for the command itself.
    body = "\n".join(second) + "\n  esac\n  shift words\n  ((CURRENT--))\n  case 1 in"
    return (HEAD.replace("@AWK@", table_of.AWK_COLUMNS.replace("'", "\\047"))
            .replace("@FIRST@", described(table_of.first_words(table)))
            .replace("@SECOND@", body).replace("@OPTIONS@", "\n".join(lines)))
