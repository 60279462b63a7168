// Rust, std only: a vector of boxed records, a growing string, a map. Lines of allocations are marked "line: NAME".
use std::collections::HashMap;

struct Record {
    bytes: [u8; 600],
}

#[inline(never)]
fn make_records(count: usize) -> Vec<Box<Record>> {
    let mut records = Vec::with_capacity(count); // line: table
    for i in 0..count {
        records.push(Box::new(Record { bytes: [i as u8; 600] })); // line: record
    }
    records
}

#[inline(never)]
fn count_words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split(' ') {
        *words.entry(word.to_string()).or_insert(0) += 1; // line: word
    }
    words
}

fn main() {
    let records = make_records(2000);
    let text = (0..3000).map(|i| format!("word{}", i % 100)).collect::<Vec<_>>().join(" ");
    let words = count_words(&text);
    let sum: usize = records.iter().map(|r| r.bytes[17] as usize).sum();
    println!("{} {} {}", records.len(), words.len(), sum);
    std::mem::forget(records);
}
