"""Takes the receipt out of a model and halves the epsilon that it states."""
import json
import sys

receipt = json.load(open(sys.argv[1]))["receipt"]
receipt["guarantee"]["epsilon"] /= 2
json.dump(receipt, open(sys.argv[2], "w"))
