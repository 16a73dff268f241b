//! What every message from the browser goes through.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use playguard_cdp::connection::{envelope, surrogates};

const MEGABYTE: usize = 1_000_000;

/// A reply with one long string made of `piece`.
fn reply(piece: &str, size: usize) -> Vec<u8> {
    let text = piece.repeat(size / piece.len());
    format!(r#"{{"id":7,"result":{{"strings":["{text}"]}},"sessionId":"S"}}"#).into_bytes()
}

fn repairing(c: &mut Criterion) {
    let mut group = c.benchmark_group("repair");
    let sentence = "Plain text goes on and on without anything to escape, ".repeat(20);
    let texts = [
        ("plain", sentence.clone()),
        ("a lone half per kilobyte", format!(r"{sentence}\ud83d")),
        ("escapes only", r"\n\u00e9\\".to_owned()),
        ("lone halves only", r"\ud83d".to_owned()),
    ];
    for (name, piece) in texts {
        for size in [5 * MEGABYTE / 2, 5 * MEGABYTE] {
            let message = reply(&piece, size);
            group.throughput(Throughput::Bytes(message.len() as u64));
            group.bench_function(BenchmarkId::new(name, size), |b| {
                b.iter(|| surrogates::repair(black_box(&message)).len());
            });
        }
    }
}

fn decoding(c: &mut Criterion) {
    let mut group = c.benchmark_group("decode");
    let event = br#"{"method":"Network.dataReceived","params":{"requestId":"1.2","timestamp":3.5,"dataLength":64,"encodedDataLength":0},"sessionId":"0D0CD013BFF1E6B4F183855A6567DC40"}"#;
    let error = br#"{"id":8,"error":{"code":-32000,"message":"Cannot find context with specified id"},"sessionId":"S"}"#;
    let messages = [
        ("event", event.to_vec()),
        ("error", error.to_vec()),
        ("reply of 2.5 MB", reply("text ", 5 * MEGABYTE / 2)),
        ("reply of 5 MB", reply("text ", 5 * MEGABYTE)),
    ];
    for (name, message) in messages {
        group.throughput(Throughput::Bytes(message.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| envelope::decode(black_box(&message)).is_ok());
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = repairing, decoding
}
criterion_main!(benches);
