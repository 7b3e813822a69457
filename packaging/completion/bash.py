"""Completions for bash."""

import options as table_of

HEAD = r"""# Completions of tacet for bash, made from the program's own table of options.

_tacet_columns() {
  local schema=$1
  [ -r "$schema" ] && awk '@AWK@' "$schema"
}

# Adds what begins like the word; quotes what a shell would cut.
_tacet_add() {
  local one
  while IFS= read -r one; do
    [[ -n $one && $one == "$_tacet_word"* ]] && COMPREPLY+=("$_tacet_before$(printf '%q' "$one")")
  done
}

_tacet() {
  local word words=() k command='' name='' schema='' place=0
  COMPREPLY=()
  # `--name=value` comes as three words.
  for ((k = 1; k < COMP_CWORD; ++k)); do words+=("${COMP_WORDS[k]}"); done
  word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == '=' ]] && words+=('=') && word=''
  for ((k = 0; k < ${#words[@]}; ++k)); do
    case ${words[k]} in
      --schema | -s)
        schema=${words[k + 1]}
        [[ $schema == '=' ]] && schema=${words[k + 2]}
        ;;
      -*) ;;
      *)
        if [[ $place -eq 0 ]]; then
          command=${words[k]} place=1
        elif [[ $place -eq 1 && $k -eq 1 ]]; then
          case $command in @GROUPS@) command+=" ${words[k]}" place=2 ;; esac
        fi
        ;;
    esac
  done
  k=${#words[@]}
  [[ $k -gt 0 ]] && name=${words[k - 1]}
  [[ $name == '=' && $k -gt 1 ]] && name=${words[k - 2]}
  local _tacet_word=$word _tacet_before=''
  case "$command $name" in
@VALUES@
  esac
  if [[ $word == -* ]]; then
    local known=''
    case $command in
@OPTIONS@
    esac
    _tacet_add <<<"${known// /$'\n'}"
    return
  fi
  case $command in
    '') _tacet_add <<<'@FIRST@' ;;
@SECOND@
    *) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

complete -F _tacet tacet
"""

FILES = "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return"
FOLDERS = FILES.replace("compgen -f", "compgen -d")
COLUMNS = ("_tacet_word=${word##*,}; _tacet_before=${word%\"$_tacet_word\"}; "
           "_tacet_add < <(_tacet_columns \"$schema\"); return")


def action(option):
    kind = table_of.value_of(option)
    if kind == "words":
        return "_tacet_add <<<$'" + "\\n".join(option["words"]) + "'; return"
    return {"files": FILES, "folders": FOLDERS, "columns": COLUMNS, "": "return"}[kind]


def values(commands):
    """Lines of a case: what all commands agree on has one."""
    by_action = {}
    for command, (_, options) in commands.items():
        for option in options:
            if table_of.value_of(option) is None:
                continue
            for name in option["names"]:
                by_action.setdefault(name, {}).setdefault(action(option), []).append(command)
    lines = {}
    for name, actions in by_action.items():
        usual = max(actions, key=lambda one: len(actions[one]))
        for one, where in actions.items():
            if one != usual:
                lines.setdefault(one, []).extend(f"'{command} {name}'" for command in where)
    rest = {}
    for name, actions in by_action.items():
        usual = max(actions, key=lambda one: len(actions[one]))
        rest.setdefault(usual, []).append(f"*' {name}'")
    return [f"    {' | '.join(patterns)}) {one} ;;"
            for table in (lines, rest) for one, patterns in table.items()]


def text(table):
    commands = table_of.commands(table)
    groups = [group["name"] for group in table["groups"]]
    names = {command: " ".join(name for option in options for name in option["names"])
             for command, (_, options) in commands.items()}
    second = [f"    {group}) _tacet_add <<<$'" + "\\n".join(table_of.second_words(table, group))
              + "' ;;" for group in groups]
    # `tacet help` takes a command.
    first = "\n".join(table_of.first_words(table))
    second.append(f"    help) _tacet_add <<<'{first}' ;;")
    return (HEAD.replace("@AWK@", table_of.AWK_COLUMNS.replace("'", "\\047"))
            .replace("@GROUPS@", " | ".join(groups))
            .replace("@VALUES@", "\n".join(values(commands)))
            .replace("@OPTIONS@", "\n".join(f"      '{command}') known='{known}' ;;"
                                            for command, known in names.items()))
            .replace("@FIRST@", first).replace("@SECOND@", "\n".join(second)))
