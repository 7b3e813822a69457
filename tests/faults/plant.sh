#!/bin/sh
# plant.sh PATCH FILE COPY NAME: a copy of the file with the fault, and a symbol that tells of it.
set -eu
mkdir -p "$(dirname "$3")"
cp "$2" "$3.new"
if ! patch --silent --fuzz=0 --no-backup-if-mismatch "$3.new" <"$1"; then
  rm -f "$3.new"
  echo "plant.sh: $1 no longer applies; renew it, or the fault that it plants is not looked for" >&2
  exit 1
fi
printf 'extern "C" {\n__attribute__((weak, used)) char tacet_fault_%s = 1;\n}\n' "$4" >>"$3.new"
mv "$3.new" "$3"
