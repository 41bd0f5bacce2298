#!/usr/bin/env bash
# The program named needs no shared libraries but those of the C library.
set -euo pipefail
needed=$(readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
other=$(grep -vE '^(libc|libm|ld-linux[-_a-z0-9]*)\.so\.[0-9]+$' <<<"$needed" || true)
if [ -n "$other" ]; then
  printf '%s needs shared libraries that cost time at every start:\n%s\n' "$1" "$other"
  exit 1
fi
