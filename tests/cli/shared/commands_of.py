"""Prints the commands that a report holds, one a line; its receipts are no commands."""
import json
import sys

for section in json.load(open(sys.argv[1]))["sections"]:
    for block in section["blocks"]:
        if block.get("code", "").startswith("tacet "):
            print(block["code"])
