"""Leaves in doxygen's XML what a reader of one header needs.

    own_xml.py FOLDER

Doxygen puts what all headers say of a namespace together, and each page would begin with all of it. A
page has the words of its own header instead (generated.py). Private members and friends go too.
"""

import pathlib
import sys
import xml.etree.ElementTree as ET


def strip(compound):
    if compound.get("kind") == "namespace":
        for name in ("briefdescription", "detaileddescription"):
            for words in compound.findall(name):
                words.clear()
    for section in compound.findall("sectiondef"):
        if section.get("kind", "").startswith("private") or section.get("kind") == "friend":
            compound.remove(section)
    for inner in compound.findall("innerclass"):
        if inner.get("prot") == "private":
            compound.remove(inner)


def main(folder):
    for path in pathlib.Path(folder).glob("*.xml"):
        tree = ET.parse(path)
        for compound in tree.getroot().findall("compounddef"):
            strip(compound)
        tree.write(path, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
