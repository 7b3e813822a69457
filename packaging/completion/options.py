"""What shells complete, from the table that `tacet help --all --json` prints."""

FILES = {"FILE", "STATE", "TASK", "COPY", "FILE|DIGEST"}
FOLDERS = {"FOLDER"}
COLUMNS = {"COLUMN", "COLUMNS"}


def value_of(option):
    """"words", "files", "folders" or "columns"; None for a flag, "" for any text."""
    if "kind" not in option:
        return None
    if option.get("words"):
        return "words"
    kind = option["kind"]
    if kind in COLUMNS:
        return "columns"
    if kind in FOLDERS:
        return "folders"
    return "files" if kind in FILES else ""


def commands(table):
    """{command: its options without what goes by its place}, help and version among them."""
    found = {}
    for command in table["commands"]:
        options = [one for one in command["options"] if not one["by_place"]]
        if any(one["names"][0] == "--help" for one in options):
            options.append({"names": ["--help-all"], "help": "Print every option"})
        found[command["name"]] = (command["help"], options)
    return found


def first_words(table):
    """{word behind `tacet`: what it does}, groups once."""
    groups = {group["name"]: group["help"] for group in table["groups"]}
    found = {}
    for command in table["commands"]:
        word = command["name"].split(" ")[0]
        found[word] = groups.get(word, command["help"])
    return found


def second_words(table, group):
    """{word behind the group: what it does}."""
    return {command["name"].split(" ")[1]: command["help"] for command in table["commands"]
            if command["name"].startswith(group + " ")}


def short(text):
    """The beginning of a sentence of help, on one line."""
    for end in (" [", ";", ": "):
        text = text.split(end)[0]
    return text if len(text) <= 70 else text[:67].rsplit(" ", 1)[0] + "..."


# Names of columns stand in the [[column]] tables of a schema and in `column` of its [target]; a list may have
# several lines.
AWK_COLUMNS = r"""
!list && /^[ \t]*\[\[[ \t]*column[ \t]*\]\]/ { inside = 1; next }
!list && /^[ \t]*\[[ \t]*target[ \t]*\]/ { inside = 2; next }
!list && /^[ \t]*\[/ { inside = 0 }
list || (inside == 1 && /^[ \t]*names?[ \t]*=/) || (inside == 2 && /^[ \t]*column[ \t]*=/) {
  if (!list) {
    sub(/^[^=]*=[ \t]*/, "")
    list = /^\[/
  }
  while (match($0, /"([^"\\]|\\.)*"|\047[^\047]*\047|#|\]/)) {
    one = substr($0, RSTART, RLENGTH)
    if (one == "]") list = 0
    if (one == "]" || one == "#") break
    $0 = substr($0, RSTART + RLENGTH)
    written = one ~ /^"/
    one = substr(one, 2, length(one) - 2)
    if (written) {
      gsub(/\\"/, "\"", one)
      gsub(/\\\\/, "\\", one)
    }
    print one
  }
}
""".strip("\n")
