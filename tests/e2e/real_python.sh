#!/usr/bin/env bash
# python3 with its objects on malloc: a JSON loop. Same output and status, plenty of allocations.
. "$(dirname "$0")/lib.sh"
cat >"$tmp/loop.py" <<'PY'
import json
rows = [{"id": i, "name": "n%d" % i, "tags": [str(j) for j in range(5)]} for i in range(2000)]
total = 0
for _ in range(5):
    total += len(json.loads(json.dumps(rows)))
print(total)
raise SystemExit(5)
PY
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
export PYTHONMALLOC=malloc
same_as_alone 100000 "$python" -S "$tmp/loop.py"
finish
