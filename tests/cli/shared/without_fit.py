"""Writes w.json: m.json with a receipt that states its own run alone, and a checksum that fits."""
import hashlib
import json

model = json.load(open("m.json"))
receipt = model["receipt"]
receipt["events"]["event"] = receipt["events"]["event"]["parts"][1]
del model["checksum"]
text = json.dumps(model, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
model["checksum"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
json.dump(model, open("w.json", "w"))
