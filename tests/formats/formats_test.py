"""The schemas are sound, each has its line, and a wrong output is found."""

import json
import sys
import unittest

import formats


class Schemas(unittest.TestCase):
    def test_each_is_of_the_language_and_has_a_line(self):
        import jsonschema
        rows = {name for name, _ in formats.ROW.findall(
            (formats.FOLDER / "README.md").read_text(encoding="utf-8"))}
        self.assertEqual(rows, set(formats.schemas()))
        for name, schema in formats.schemas().items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(schema["$id"], f"urn:tacet:{name}:1")
            self.assertTrue(schema["title"] and schema["description"])

    def test_what_more_options_print_is_found_first(self):
        curve = ["account", "--mechanism", "gaussian", "--curve", "--json"]
        self.assertEqual(formats.format_of(curve, {}), "curve")
        self.assertEqual(formats.format_of(["account", "--json"], {}), "account")
        self.assertIsNone(formats.format_of(["unknown", "--json"], {}))

    def test_each_reference_leads_to_a_schema(self):
        def walk(value, known):
            for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                walk(one, known)
            if isinstance(value, dict) and isinstance(value.get("$ref"), str):
                place = known
                for part in value["$ref"].removeprefix("#/").split("/"):
                    self.assertIn(part, place, value["$ref"])
                    place = place[part]

        for validator in formats.validators().values():
            walk(validator.schema, validator.schema)
        # One that leads into another schema and on from there.
        with self.assertRaises(formats.Fault):
            formats.check("receipt", {"version": 1, "events": {"version": 1, "event": {"kind": "unheard"}}})

    def test_what_is_wrong_is_refused(self):
        sound = {"sound": True, "rows": 3, "head": "x"}
        arguments = ["ledger", "verify", "a.ledger", "--json"]
        formats.check_printed(arguments, json.dumps(sound))
        for text in ("", "{", '{"sound": true, "rows": NaN, "head": "x"}',
                     json.dumps({**sound, "rows": -1}), json.dumps({**sound, "more": 1}),
                     json.dumps({"sound": True, "head": "x"}), json.dumps([sound])):
            with self.assertRaises(formats.Fault, msg=text):
                formats.check_printed(arguments, text)


if __name__ == "__main__":
    if formats.validators() is None:
        print("the Python package jsonschema is not installed: left out")
        sys.exit(77)
    unittest.main()
