//! Finding elements, and finding words for them.

mod generated;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use generated::{document, nested, table};
use playguard_cdp::dom::{Document, NodeId};
use playguard_cdp::locator::{Engine, GenerateOptions, Selector, Target, parse_target};

const ROWS: [usize; 2] = [1_000, 2_000];
const DEPTHS: [usize; 2] = [5_000, 10_000];

/// Each query is run by a new engine, as the first of a call is.
const QUERIES: [(&str, &str); 6] = [
    ("text", "getByText('Person 777 of')"),
    (
        "text exact",
        "getByText('Person 777 of the list', { exact: true })",
    ),
    ("role", "getByRole('link', { name: 'person777@' })"),
    (
        "filter",
        "getByRole('row').filter({ hasText: 'Person 777 of' }).getByRole('button')",
    ),
    ("css", "tr:nth-child(778) > td:has(button) >> nth=0"),
    ("regex", "getByText(/Person 7+ of/)"),
];

fn selector(text: &str) -> Selector {
    match parse_target(text) {
        Ok(Target::Selector(selector)) => selector,
        other => panic!("{text}: {other:?}"),
    }
}

fn parsing(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    for (name, text) in QUERIES {
        group.bench_function(name, |b| b.iter(|| parse_target(black_box(text))));
    }
}

fn queries(c: &mut Criterion) {
    let mut group = c.benchmark_group("query");
    for rows in ROWS {
        let document = document(&table(rows));
        for (name, text) in QUERIES {
            let selector = selector(text);
            let found = Engine::new(&document).query_all(&selector, None);
            assert!(
                found.is_ok_and(|found| !found.is_empty()),
                "{text} finds nothing"
            );
            group.bench_function(BenchmarkId::new(name, rows), |b| {
                b.iter(|| Engine::new(black_box(&document)).query_all(&selector, None));
            });
        }
    }
}

/// The last element with this name.
fn last(document: &Document, tag: &str) -> NodeId {
    let found = document.elements().rfind(|&node| document.tag(node) == tag);
    found.expect("the page has such elements")
}

fn generating(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate");
    let options = GenerateOptions::default();
    for rows in ROWS {
        let document = document(&table(rows));
        for tag in ["A", "BUTTON", "TD"] {
            let node = last(&document, tag);
            group.bench_function(BenchmarkId::new(tag, rows), |b| {
                b.iter(|| Engine::new(black_box(&document)).generate(node, &options));
            });
        }
    }
    for depth in DEPTHS {
        let pages = [
            ("nested", nested(depth, "DIV", &[], "deep")),
            (
                "nested roles",
                nested(depth, "SECTION", &[("aria-label", "part")], "deep"),
            ),
        ];
        for (name, json) in pages {
            let document = document(&json);
            let node = document
                .elements()
                .next_back()
                .expect("the page has elements");
            group.bench_function(BenchmarkId::new(name, depth), |b| {
                b.iter(|| Engine::new(black_box(&document)).generate(node, &options));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = parsing, queries, generating
}
criterion_main!(benches);
