//! From the browser's reply to the text of a snapshot, each page at two sizes:
//! twice the page must not take more than a little over twice the time.

mod generated;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generated::{article, capture, document, nested, table};
use playguard_cdp::aria::{RefBook, SnapshotOptions, render, snapshot};
use playguard_cdp::dom::{Document, DomSnapshot};

type Page = fn(usize) -> String;

const PAGES: [(&str, Page, [usize; 2]); 5] = [
    ("table", table, [1_000, 2_000]),
    (
        "nested",
        |depth| nested(depth, "DIV", &[], "deep"),
        [5_000, 10_000],
    ),
    ("nested buttons", buttons, [2_000, 4_000]),
    ("article", article, [400, 800]),
    ("labels", labels, [1_000, 2_000]),
];

/// Every one of them is named by all that is inside.
fn buttons(depth: usize) -> String {
    nested(
        depth,
        "DIV",
        &[("role", "button")],
        &"long text ".repeat(depth),
    )
}

/// Every one of them is named by the same long text.
fn labels(count: usize) -> String {
    let (mut page, body) = generated::Capture::new();
    let source = page.element(body, "P", &[("id", "source")]);
    page.text(source, &"long text ".repeat(count));
    for _ in 0..count {
        page.element(
            body,
            "DIV",
            &[("role", "button"), ("aria-labelledby", "source")],
        );
    }
    page.json()
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("read");
    each(|id, json| {
        group.throughput(Throughput::Bytes(json.len() as u64));
        group.bench_with_input(id, json, |b, json| {
            b.iter(|| DomSnapshot::from_json(black_box(json)).expect("well-formed"));
        });
    });
}

fn building(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    each(|id, json| {
        let reply = DomSnapshot::from_json(json).expect("well-formed");
        let nodes = Document::build(&reply, 0, None).len();
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_with_input(id, &reply, |b, reply| {
            b.iter(|| Document::build_all(black_box(reply), None));
        });
    });
}

fn snapshots(c: &mut Criterion) {
    let mut group = c.benchmark_group("snapshot");
    each(|id, json| {
        let page = capture(&document(json));
        group.bench_with_input(id, &page, |b, page| {
            b.iter(|| {
                let mut refs = RefBook::new(&page.main_frame);
                snapshot(black_box(page), &mut refs, &SnapshotOptions::default())
            });
        });
    });
}

fn rendering(c: &mut Criterion) {
    let mut group = c.benchmark_group("render");
    each(|id, json| {
        let page = capture(&document(json));
        let mut refs = RefBook::new(&page.main_frame);
        let tree = snapshot(&page, &mut refs, &SnapshotOptions::default());
        group.throughput(Throughput::Bytes(render(&tree).len() as u64));
        group.bench_with_input(id, &tree, |b, tree| b.iter(|| render(black_box(tree))));
    });
}

fn each(mut bench: impl FnMut(BenchmarkId, &str)) {
    for (name, page, sizes) in PAGES {
        for size in sizes {
            bench(BenchmarkId::new(name, size), &page(size));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = reading, building, snapshots, rendering
}
criterion_main!(benches);
