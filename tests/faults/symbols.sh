#!/bin/sh
# symbols.sh SHIPPED... -- PATCHED...: a symbol tacet_fault_NAME is in every program fault_NAME and in
# none that ships.
set -eu
good=true
wanted=0
for file in "$@"; do
  if [ "$file" = -- ]; then
    wanted=1
    continue
  fi
  found=$(nm "$file" | grep -c " tacet_$(basename "$file")\$" || true)
  any=$(nm "$file" | grep -c " tacet_fault_[a-z_]*\$" || true)
  if [ "$wanted" = 1 ] && [ "$found$any" != 11 ]; then
    echo "symbols.sh: $file holds $any faults, $found of them its own"
    good=false
  elif [ "$wanted" = 0 ] && [ "$any" != 0 ]; then
    echo "symbols.sh: $file ships a planted fault"
    good=false
  fi
done
$good
