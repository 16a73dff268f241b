//! What releases, images and registries are made from: whether the files hold together. Building
//! them is for the machines of a release.

mod yaml;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use playguard::cli;
use playguard::config::options::{OPTIONS, OWN_PREFIX, Variable};
use serde_json::{Map, Value};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

const WORKFLOWS: [&str; 3] = ["ci.yml", "release.yml", "example-headless.yml.example"];

fn workflow(name: &str) -> Value {
    let text = read(&format!(".github/workflows/{name}"));
    yaml::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn jobs(workflow: &Value) -> &Map<String, Value> {
    workflow["jobs"].as_object().expect("jobs")
}

fn steps(job: &Value) -> &[Value] {
    job["steps"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The scripts of a workflow.
fn scripts(workflow: &Value) -> Vec<&str> {
    let steps = jobs(workflow).values().flat_map(steps);
    steps.filter_map(|step| step["run"].as_str()).collect()
}

#[test]
fn no_workflow_is_left_out() {
    let folder = std::fs::read_dir(root().join(".github/workflows")).expect("a folder");
    let found: BTreeSet<String> = folder
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, WORKFLOWS.map(str::to_owned).into());
}

#[test]
fn workflows_are_complete() {
    for name in WORKFLOWS {
        let workflow = workflow(name);
        for key in ["name", "on", "permissions", "jobs"] {
            assert!(!workflow[key].is_null(), "{name}: {key}");
        }
        // What a job may do beyond reading stands at that job.
        assert_eq!(
            workflow["permissions"],
            serde_json::json!({ "contents": "read" })
        );
        let jobs = jobs(&workflow);
        for (id, job) in jobs {
            let at = format!("{name}, {id}");
            assert!(!word(job, "runs-on").is_empty(), "{at}");
            assert!(word(job, "timeout-minutes").parse::<u32>().is_ok(), "{at}");
            if let Some(needs) = job["needs"].as_str() {
                assert!(jobs.contains_key(needs), "{at} needs {needs}");
            }
            assert!(!steps(job).is_empty(), "{at}");
            for step in steps(job) {
                let (uses, run) = (word(step, "uses"), word(step, "run"));
                assert!(uses.is_empty() != run.is_empty(), "{at}: {step}");
                if !uses.is_empty() {
                    let (action, version) = uses.split_once('@').expect("a version");
                    assert_eq!(action.split('/').count(), 2, "{at}: {uses}");
                    let major = version.strip_prefix('v').expect("a major version");
                    assert!(major.parse::<u32>().is_ok(), "{at}: {uses}");
                }
            }
        }
    }
}

#[test]
fn what_expressions_speak_of_exists() {
    for name in WORKFLOWS {
        let workflow = workflow(name);
        for (id, job) in jobs(&workflow) {
            let text = job.to_string();
            for expression in text.split("${{ ").skip(1) {
                let expression = expression.split(" }}").next().unwrap_or_default();
                let at = format!("{name}, {id}: {expression}");
                let parts: Vec<&str> = expression.split('.').collect();
                match parts[..] {
                    ["matrix", key] => {
                        let matrix = &job["strategy"]["matrix"];
                        let rows = matrix["include"].as_array();
                        let in_rows =
                            rows.is_some_and(|rows| rows.iter().all(|row| row[key].is_string()));
                        assert!(in_rows || matrix[key].is_array(), "{at}");
                    }
                    ["steps", step, "outputs", output] => {
                        let step = steps(job).iter().find(|found| word(found, "id") == step);
                        let run = word(step.unwrap_or_else(|| panic!("{at}")), "run");
                        assert!(run.contains(&format!("echo \"{output}=")), "{at}");
                    }
                    ["github", _] => {}
                    _ => panic!("{at}"),
                }
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn scripts_are_bash() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    for name in WORKFLOWS {
        for script in scripts(&workflow(name)) {
            assert!(
                !script.contains("${{"),
                "values come through variables: {script}"
            );
            let mut bash = Command::new("bash")
                .arg("-n")
                .stdin(Stdio::piped())
                .spawn()
                .expect("bash");
            let mut input = bash.stdin.take().expect("piped");
            input.write_all(script.as_bytes()).expect("read");
            drop(input);
            assert!(bash.wait().expect("ended").success(), "{name}: {script}");
        }
    }
}

#[test]
fn what_scripts_call_exists() {
    let ci = workflow("ci.yml");
    assert!(scripts(&ci).contains(&"bash .ci/run"), "{ci}");
    assert!(root().join(".ci/run").is_file());
    for file in ["README.md", "LICENSE"] {
        assert!(root().join(file).is_file(), "{file} goes into archives");
    }
    let example = workflow("example-headless.yml.example");
    let mut calls = 0;
    for script in scripts(&example) {
        for line in script.lines().filter(|line| line.starts_with("playguard ")) {
            calls += 1;
            if let Err(exit) = cli::parse(line.split(' ')) {
                panic!("{line}: {}", exit.text);
            }
        }
    }
    assert_eq!(calls, 2);
    known_variables(example["env"].as_object().expect("variables").keys());
}

/// Asserts that the server reads these.
#[track_caller]
fn known_variables<'a>(names: impl Iterator<Item = &'a String>) {
    for name in names.filter(|name| name.starts_with(OWN_PREFIX)) {
        let known = OPTIONS.iter().any(|opt| match opt.variable {
            Variable::Shared(suffix) | Variable::Own(suffix) => {
                name.strip_prefix(OWN_PREFIX) == Some(suffix)
            }
            Variable::Absent => false,
        });
        assert!(known, "{name}");
    }
}

#[test]
fn releases_are_for_these_systems() {
    let release = workflow("release.yml");
    let rows = release["jobs"]["build"]["strategy"]["matrix"]["include"].clone();
    let targets: Vec<&str> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| word(row, "target"))
        .collect();
    assert_eq!(
        targets,
        [
            "x86_64-unknown-linux-musl",
            "aarch64-unknown-linux-musl",
            "x86_64-apple-darwin",
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
        ]
    );
    let steps = steps(&release["jobs"]["build"]);
    for action in ["actions/attest-build-provenance", "actions/attest-sbom"] {
        assert!(
            steps
                .iter()
                .any(|step| word(step, "uses").starts_with(action)),
            "{action}"
        );
    }
    assert!(
        scripts(&release)
            .iter()
            .any(|script| script.contains("sha256sum"))
    );
}

#[test]
fn the_script_that_compares_versions_finds_ours() {
    // What its `sed` does, by hand.
    let manifest = read("Cargo.toml");
    let section = manifest
        .split("[workspace.package]")
        .nth(1)
        .expect("a section");
    let section = section.split("\n\n").next().unwrap_or_default();
    assert!(
        section.contains(&format!("\nversion = \"{VERSION}\"\n")),
        "{section}"
    );
    let release = read(".github/workflows/release.yml");
    assert!(
        release.contains(r"/^\[workspace.package\]/,/^$/"),
        "the same section"
    );
}

#[test]
fn one_compiler_for_all() {
    let oldest: Vec<u32> = numbers(env!("CARGO_PKG_RUST_VERSION"));
    let docker = read("Dockerfile");
    for name in ["ci.yml", "release.yml"] {
        let workflow = workflow(name);
        let version = word(&workflow["env"], "RUST_VERSION");
        assert!(numbers(version) >= oldest, "{name}: {version}");
        let minor = version.rsplit_once('.').expect("three numbers").0;
        assert!(
            docker.contains(&format!("\nFROM rust:{minor}-slim-")),
            "{name}: {version}"
        );
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map(|part| part.parse().expect("a number"))
        .collect()
}

/// The instructions of the Dockerfile: the word, and the rest with its lines joined.
fn instructions() -> Vec<(String, String)> {
    let text = read("Dockerfile");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    joined
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let (word, rest) = line.split_once(' ').expect("an instruction");
            (word.to_owned(), rest.trim().to_owned())
        })
        .collect()
}

/// What the last instruction of this kind says.
fn last(kind: &str) -> String {
    let all = instructions();
    let found = all.iter().rev().find(|(word, _)| word == kind);
    found.unwrap_or_else(|| panic!("no {kind}")).1.clone()
}

#[test]
fn the_image_is_not_run_by_root() {
    let all = instructions();
    let words: Vec<&str> = all.iter().map(|(word, _)| word.as_str()).collect();
    let place = |wanted| words.iter().rposition(|word| *word == wanted);
    assert!(place("USER") > place("FROM"), "in the last stage");
    assert!(
        place("USER") > place("RUN"),
        "nothing is installed by the user"
    );
    let user = last("USER");
    let id = user.split(':').next().unwrap_or_default();
    assert!(id.parse::<u32>().is_ok_and(|id| id > 0), "{user}");
    assert!(
        read("Dockerfile").contains(&format!("--uid {id} ")),
        "{user} is made"
    );
}

#[test]
fn the_image_starts_and_checks_this_program() {
    let list = |text: &str| -> Vec<String> { serde_json::from_str(text).expect("a list") };
    assert_eq!(list(&last("ENTRYPOINT")), ["playguard"]);
    let health = last("HEALTHCHECK");
    let check = list(health.split_once("CMD ").expect("a command").1);
    assert_eq!(check[..2], ["playguard", "doctor"]);
    if let Err(exit) = cli::parse(check) {
        panic!("{}", exit.text);
    }
    let words = last("ENV");
    let names: Vec<String> = words
        .split_whitespace()
        .map(|pair| pair.split('=').next().unwrap_or_default().to_owned())
        .collect();
    known_variables(names.iter());
    // What one stage copies from another is made there.
    let copied = last("COPY");
    let from = copied
        .strip_prefix("--from=build ")
        .expect("the first stage");
    let program = from.split(' ').next().unwrap_or_default();
    let all = instructions();
    assert!(
        all.iter()
            .any(|(word, rest)| word == "FROM" && rest.ends_with(" AS build"))
    );
    assert!(
        all.iter()
            .any(|(word, rest)| word == "RUN" && rest.ends_with(program))
    );
}

#[test]
fn the_image_is_built_from_what_the_build_reads() {
    let kept = read(".dockerignore");
    let kept: BTreeSet<&str> = kept
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .collect();
    for path in &kept {
        assert!(root().join(path).exists(), "{path}");
    }
    for path in ["Cargo.toml", "Cargo.lock", "src", "cdp", "fixtures"] {
        assert!(kept.contains(path), "{path}");
    }
    // The pages are for tests alone.
    let mut folders = vec![root().join("src"), root().join("cdp/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("rs".as_ref()) && !is_test(&path) {
                let text = std::fs::read_to_string(&path).expect("text");
                let included = text.split("include_").skip(1);
                for call in included.filter_map(|call| call.split(')').next()) {
                    assert!(
                        !call.contains("fixtures/pages"),
                        "{}: {call}",
                        path.display()
                    );
                }
            }
        }
    }
}

fn is_test(path: &Path) -> bool {
    path.to_string_lossy().contains("test")
}

#[test]
fn the_registry_is_told_what_is_so() {
    let server: Value = serde_json::from_str(&read("server.json")).expect("JSON");
    assert_eq!(
        word(&server, "$schema"),
        "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json"
    );
    assert_eq!(word(&server, "version"), VERSION);
    assert_eq!(
        word(&server["repository"], "url"),
        env!("CARGO_PKG_REPOSITORY")
    );
    // Limits of the schema.
    assert!((1..=100).contains(&word(&server, "description").chars().count()));
    let name = word(&server, "name");
    assert!(
        (3..=200).contains(&name.len()) && name.split('/').count() == 2,
        "{name}"
    );
    // The registry believes who owns an image by this label.
    let label = format!("io.modelcontextprotocol.server.name=\"{name}\"");
    assert!(last("LABEL").contains(&label), "{label}");

    let packages = server["packages"].as_array().expect("packages");
    for package in packages {
        assert_eq!(word(package, "registryType"), "oci");
        assert_eq!(
            word(package, "version"),
            format!("v{VERSION}"),
            "as the release tags it"
        );
        assert_eq!(word(&package["transport"], "type"), "stdio");
        let image = format!(
            "{}/{}",
            word(package, "registryBaseUrl").trim_start_matches("https://"),
            word(package, "identifier")
        );
        let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
        assert_eq!(
            image,
            format!("ghcr.io/{repository}"),
            "where the release pushes it"
        );
        let variables = package["environmentVariables"].as_array().expect("a list");
        let names: Vec<String> = variables
            .iter()
            .map(|v| word(v, "name").to_owned())
            .collect();
        known_variables(names.iter());
    }
    assert_eq!(packages.len(), 1);
}
