#!/usr/bin/env bash
# A Rust program with threads, std only: same output, and its total is there.
. "$(dirname "$0")/lib.sh"
need rustc
cat >"$tmp/threads.rs" <<'RS'
fn main() {
    let handles: Vec<_> = (0..4u64).map(|t| std::thread::spawn(move || {
        let words: Vec<String> = (0..100000u64).map(|i| format!("{}-{}", t, i)).collect();
        words.iter().map(|w| w.len()).sum::<usize>()
    })).collect();
    println!("{}", handles.into_iter().map(|h| h.join().unwrap()).sum::<usize>());
    std::process::exit(7);
}
RS
rustc -g -O -o "$tmp/threads" "$tmp/threads.rs" 2>"$tmp/err" || fail "rustc: $(tail -c 400 "$tmp/err")"
same_as_alone 400000 "$tmp/threads"
finish
