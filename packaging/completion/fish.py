"""Completions for fish."""

import options as table_of

HEAD = r"""# Completions of tacet for fish, made from the program's own table of options.

function __tacet_command
    set -l found
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; and break
        set -a found $word
        contains -- "$found[1]" @GROUPS@; or break
        test (count $found) -eq 2; and break
    end
    echo "$found"
end

function __tacet_at
    test (__tacet_command) = "$argv[1]"
end

function __tacet_columns
    set -l words (commandline -opc)
    set -l schema
    for k in (seq (count $words))
        switch $words[$k]
            case --schema -s
                set schema $words[(math $k + 1)]
            case '--schema=*'
                set schema (string replace -- --schema= '' $words[$k])
        end
    end
    test -n "$schema"; and test -r "$schema"; or return
    set -l before (string match -r '^.*,' -- (commandline -ct))
    awk '@AWK@' $schema | string replace -r '^' -- "$before"
end

complete -c tacet -n 'test -z (__tacet_command)' -f
"""


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def option_line(command, option):
    parts = [f"complete -c tacet -n {quoted('__tacet_at ' + quoted(command))}"]
    for name in option["names"]:
        parts.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    kind = table_of.value_of(option)
    if kind == "words":
        parts.append(f"-x -a {quoted(' '.join(option['words']))}")
    elif kind == "columns":
        parts.append("-x -a '(__tacet_columns)'")
    elif kind == "folders":
        parts.append("-x -a '(__fish_complete_directories)'")
    elif kind == "files":
        parts.append("-r -F")
    elif kind == "":
        parts.append("-x")
    return " ".join([*parts, f"-d {quoted(table_of.short(option['help']))}"])


def text(table):
    lines = []
    for word, about in table_of.first_words(table).items():
        lines.append(f"complete -c tacet -n 'test -z (__tacet_command)' -a {word} "
                     f"-d {quoted(table_of.short(about))}")
        lines.append(f"complete -c tacet -n {quoted('__tacet_at help')} -f -a {word}")
    for group in (one["name"] for one in table["groups"]):
        lines.append(f"complete -c tacet -n '__tacet_at {group}' -f")
        for word, about in table_of.second_words(table, group).items():
            lines.append(f"complete -c tacet -n '__tacet_at {group}' -a {word} "
                         f"-d {quoted(table_of.short(about))}")
    for command, (_, options) in table_of.commands(table).items():
        lines += [option_line(command, option) for option in options]
    groups = " ".join(one["name"] for one in table["groups"])
    return (HEAD.replace("@AWK@", table_of.AWK_COLUMNS.replace("\\", "\\\\").replace("'", "\\'"))
            .replace("@GROUPS@", groups) + "\n".join(lines) + "\n")
