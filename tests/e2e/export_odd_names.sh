#!/usr/bin/env bash
# Functions whose names hold `;`, a number at the end, spaces, quotes, a newline, a tab, bytes that are no UTF-8, markup, or 70,000
# characters: one function stays one frame in every format, files stay valid, and values stay where they belong. Stacks that
# were cut are there too.
. "$(dirname "$0")/lib.sh"
. "$here/lib_exports.sh"
need gcc objcopy
python3 - "$tmp/odd.s" <<'PY'
import sys
names = [b"semi;colon;twice", b"ends in 4711", b"  spaces  ", b"newline_here", b"tab_here", b"bad\xff\xfebytes", b"<b>&amp;</b>",
         b"gr\xc3\xb6\xc3\x9fe", b"x" * 70000, b"last"]
with open(sys.argv[1], "wb") as out:
    out.write(b".text\n")
    for at, name in enumerate(names):
        out.write(b'.globl "%s"\n.type "%s", @function\n"%s":\n.cfi_startproc\nsubq $8, %%rsp\n.cfi_adjust_cfa_offset 8\n' % (name, name, name))
        out.write(b"movl $%d, %%edi\ncall malloc@PLT\n" % (1000 + at))
        if at + 1 < len(names):
            out.write(b'call "%s"\n' % names[at + 1])
        out.write(b'addq $8, %%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size "%s", .-"%s"\n' % (name, name))
    out.write(b'.globl main\n.type main, @function\nmain:\n.cfi_startproc\nsubq $8, %rsp\n.cfi_adjust_cfa_offset 8\n')
    out.write(b'call "%s"\nxorl %%eax, %%eax\naddq $8, %%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n' % names[0])
    out.write(b'.size main, .-main\n.section .note.GNU-stack,"",@progbits\n')
PY
gcc -c "$tmp/odd.s" -o "$tmp/odd.o" 2>"$tmp/gcc" &&
  objcopy --redefine-sym newline_here=$'new\nline' --redefine-sym tab_here=$'tab\there' "$tmp/odd.o" 2>"$tmp/gcc" &&
  gcc -no-pie "$tmp/odd.o" -o "$tmp/odd" 2>"$tmp/gcc" || skip "this assembler takes no such names: $(tail -1 "$tmp/gcc" | cut -c1-200)"
"$heaptally" run --mode exact -o "$tmp/odd.heaptally" -- "$tmp/odd" >/dev/null 2>"$tmp/err" || fail "odd: $(tail -c 300 "$tmp/err")"
export_all "$tmp/odd.heaptally"
compare_exports "odd names"
[ "$(grep -c 'xxxxxxxxxx' "$tmp/exports/live.folded")" = 2 ] || fail "the long name is not in two stacks"
[ "$(awk '{ print length($0) }' "$tmp/exports/live.folded" | sort -n | tail -1)" -gt 70000 ] || fail "the long name is cut"
grep -q ';semi:colon:twice;ends in 4711 1001$' "$tmp/exports/live.folded" || fail "folded: $(cut -c1-200 "$tmp/exports/live.folded")"
grep -q 'new?line;tab?here;bad??bytes' "$tmp/exports/live.folded" || fail "control characters and bad bytes: $(cut -c1-300 "$tmp/exports/live.folded")"

"$heaptally" run --mode exact -o "$tmp/deep.heaptally" -- "$programs/deep_recursion" 2000 >/dev/null 2>"$tmp/err"
export_all "$tmp/deep.heaptally"
compare_exports "deep stacks"
grep -q '^\[callers not known: stack was cut\];' "$tmp/exports/churn.folded" || fail "no stack was cut"
finish
