"""Manual pages of the program, from its own table of options and from the documentation.

    manual_pages.py TABLE SOURCE FOLDER

TABLE is what `tacet help --all --json` prints. Writes tacet.1, a page for each command as
tacet-train.1, tacet-schema.5 and tacet-ledger.5 into the folder, which holds nothing else then.
"""

import json
import pathlib
import re
import shutil
import sys

import markdown_page
import troff

EVERYWHERE = ("--help", "--json", "--quiet")
FORMATS = (("tacet-schema", "how records become features", "data/schemas/README.md"),
           ("tacet-ledger", "account of what was spent on data sets",
            "docs/explanations/ledger.md"))


def page_name(command):
    return "tacet-" + command.replace(" ", "-")


def sentence(text):
    return text if text.endswith((".", ")")) else text + "."


def option_entry(option):
    """Its names with the kind of value, and what it does."""
    kind = f" \\fI{troff.escaped(option['kind'])}\\fR" if "kind" in option else ""
    names = ", ".join(f"\\fB{troff.escaped(name)}\\fR{kind}" for name in option["names"])
    help_text = option["help"] + (" (required)" if option["required"] else "")
    return f".TP\n{names}\n{troff.words(help_text)}\n"


def by_heading(options):
    """[(heading, options)] in the order of the table; what most commands have comes last."""
    found = {}
    for option in sorted(options, key=lambda one: one["names"][0] in EVERYWHERE):
        found.setdefault(option["heading"], []).append(option)
    common = found.pop("Options", [])
    return [*found.items(), ("Options", common)]


def synopsis(command):
    parts = [f"\\fBtacet {troff.escaped(command['name'])}\\fR"]
    for option in command["options"]:
        name = f"\\fI{troff.escaped(option['names'][0])}\\fR"
        if option["by_place"]:
            more = "..." if option["repeated"] else ""
            parts.append(name + more if option["required"] else f"[{name}{more}]")
        elif option["required"]:
            parts.append(f"\\fB{troff.escaped(option['names'][0])}\\fR "
                         f"\\fI{troff.escaped(option.get('kind', ''))}\\fR")
    return " ".join([*parts, "[\\fIoptions\\fR]"])


def description_and_examples(text):
    """Of the end of a help page: commands, which are indented, stay as they are."""
    description, examples = [], []
    for block in re.split(r"\n\s*\n", text.removeprefix("Examples:\n").strip("\n")):
        if block.startswith(" "):
            examples.append(troff.example(re.sub(r"^  ", "", block, flags=re.MULTILINE)))
        elif block.strip():
            description.append(f".PP\n{troff.words(' '.join(block.split()))}\n")
    return "".join(description), "".join(examples)


def exit_status(table):
    """The codes that the program's own help lists."""
    codes = re.search(r"Exit codes: (.*?)\.", table["examples"], re.DOTALL).group(1)
    out = [".SH EXIT STATUS\n"]
    for code in " ".join(codes.split()).split(", "):
        number, words = code.split(" ", 1)
        out.append(f".TP\n\\fB{number}\\fR\n{troff.words(words)}\n")
    return "".join(out)


def see_also(pages):
    links = [f".BR {troff.escaped(name)} ({section})" for name, section in pages]
    return ".SH SEE ALSO\n" + " ,\n".join(links) + "\n"


def command_page(table, command):
    name = page_name(command["name"])
    group = command["name"].rpartition(" ")[0]
    near = [other["name"] for other in table["commands"]
            if group and other is not command and other["name"].startswith(group + " ")]
    description, examples = description_and_examples(command["examples"])
    out = [troff.title(name, "1", table["release"]), ".SH NAME\n",
           f"{troff.escaped(name)} \\- {troff.words(command['help'])}\n",
           ".SH SYNOPSIS\n", synopsis(command) + "\n", ".SH DESCRIPTION\n",
           troff.words(sentence(command["help"])) + "\n", description, ".SH OPTIONS\n"]
    headings = by_heading(command["options"])
    for heading, options in headings:
        if heading != "Arguments" and not (heading == "Options" and len(headings) < 3):
            out.append(f".SS {troff.words(heading)}\n")
        out += map(option_entry, options)
    out += [".SH EXAMPLES\n", examples] if examples else []
    out.append(exit_status(table))
    out.append(see_also([("tacet", 1), *((page_name(other), 1) for other in near),
                         ("tacet-schema", 5), ("tacet-ledger", 5)]))
    return "".join(out)


def program_page(table, commands):
    out = [troff.title("tacet", "1", table["release"]), ".SH NAME\n",
           f"tacet \\- {troff.words(table['purpose'])}\n",
           ".SH SYNOPSIS\n\\fBtacet\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n",
           ".SH DESCRIPTION\n", troff.words(sentence(table["purpose"])) + "\n", ".SH COMMANDS\n"]
    for command in commands:
        out.append(f".TP\n\\fBtacet {troff.escaped(command['name'])}\\fR\n"
                   f"{troff.words(sentence(command['help']))}\n")
    _, examples = description_and_examples(table["examples"].split("\n\nExit codes:")[0])
    pages = [(page_name(command["name"]), 1) for command in commands]
    out += [".SH EXAMPLES\n", examples, exit_status(table),
            see_also([*pages, ("tacet-schema", 5), ("tacet-ledger", 5)])]
    return "".join(out)


def pages(table, source):
    """{file name: text} of all pages."""
    commands = [one for one in table["commands"] if one["name"] not in ("help", "version")]
    found = {"tacet.1": program_page(table, commands)}
    for command in commands:
        found[page_name(command["name"]) + ".1"] = command_page(table, command)
    for name, summary, document in FORMATS:
        text = (source / document).read_text(encoding="utf-8")
        found[name + ".5"] = markdown_page.page(name, summary, text, table["release"])
    return found


def main(table, source, folder):
    table = json.loads(pathlib.Path(table).read_text(encoding="utf-8"))
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in pages(table, pathlib.Path(source)).items():
        (folder / name).write_text(text, encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
