//! Who may ask: hosts, origins, tokens; and that files stay in their directory.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use reqwest::Method;
use serde_json::json;
use support::{World, options, post};
use threadfold_host::api::Site;
use threadfold_host::server::Options;

const PAGE: &str = "http://127.0.0.1:5173";

#[tokio::test]
async fn a_name_that_is_not_the_loopback_is_refused() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let port = world.host.as_ref().unwrap().address.port();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("127.0.0.1".to_owned(), 403),
        (format!("evil.example:{port}"), 403),
        (format!("127.0.0.1.evil.example:{port}"), 403),
        (format!("127.0.0.1:{}", port - 1), 403),
    ] {
        let response = world.get("t", "committed").header("host", &host).send().await.unwrap();
        assert_eq!(response.status(), status, "{host}");
    }
}

#[tokio::test]
async fn an_origin_must_be_the_hosts_own_or_listed_exactly() {
    let world = World::with(Options { origins: vec![PAGE.to_owned()], ..options() }).await;
    world.story("t", "/plain").await;
    let own = world.base();
    for (origin, status, allowed) in [
        (own.as_str(), 200, false),
        (PAGE, 200, true),
        ("http://127.0.0.1:51730", 403, false),
        ("https://127.0.0.1:5173", 403, false),
        ("http://evil.example", 403, false),
        ("null", 403, false),
    ] {
        let response = world.get("t", "committed").header("origin", origin).send().await.unwrap();
        assert_eq!(response.status(), status, "{origin}");
        let header = response.headers().get("access-control-allow-origin").cloned();
        assert_eq!(header.is_some_and(|value| value == origin), allowed, "{origin}");
        if allowed {
            assert_eq!(response.headers()["access-control-allow-credentials"], "true");
        }
        let live = world.get("t", "live").header("origin", origin).send().await.unwrap();
        assert_eq!(live.status(), status, "{origin}");
        // A page that may not ask may not command either.
        let body = json!({ "input": { "message_id": "m", "content": [{ "type": "text", "text": "x" }] },
            "idempotency_key": format!("key {origin}"), "on_active": "queue" });
        let sent = world.post("t", "runs", &body).header("origin", origin).send().await.unwrap();
        assert_eq!(sent.status() == 202, status == 200, "{origin}");
    }
}

#[tokio::test]
async fn a_listed_page_is_told_what_it_may_send() {
    let world = World::with(Options { origins: vec![PAGE.to_owned()], ..options() }).await;
    let ask = |origin: &'static str| {
        world
            .client
            .request(Method::OPTIONS, world.url("t", "runs"))
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type")
            .send()
    };
    let response = ask(PAGE).await.unwrap();
    assert_eq!(response.status(), 200);
    let allowed = response.headers()["access-control-allow-headers"].to_str().unwrap();
    assert!(allowed.contains("authorization") && allowed.contains("content-type"));
    assert_eq!(response.headers()["access-control-allow-origin"], PAGE);
    assert_eq!(ask("http://evil.example").await.unwrap().status(), 403);
}

#[tokio::test]
async fn a_token_comes_as_a_bearer_or_a_cookie_and_may_be_renewed() {
    let world = World::with(Options { token: Some("one".to_owned()), ..options() }).await;
    let ask = |header: &'static str, value: &'static str| world.get("t", "committed").header(header, value).send();
    assert_eq!(world.get("t", "committed").send().await.unwrap().status(), 401);
    // Authorized, there is no such thread yet.
    assert_eq!(ask("authorization", "Bearer one").await.unwrap().status(), 404);
    assert_eq!(ask("cookie", "a=b; threadfold=one").await.unwrap().status(), 404);
    assert_eq!(ask("authorization", "Bearer two").await.unwrap().status(), 401);
    world.admin("token", &json!({ "token": "two" })).await;
    assert_eq!(ask("authorization", "Bearer one").await.unwrap().status(), 401);
    assert_eq!(ask("authorization", "Bearer two").await.unwrap().status(), 404);
}

#[tokio::test]
async fn faults_and_admin_are_not_there_unless_allowed_and_never_for_another_origin() {
    let world = World::with(Options { origins: vec![PAGE.to_owned()], allow_faults: false, ..options() }).await;
    assert_eq!(world.client.get(format!("{}/admin/faults", world.base())).send().await.unwrap().status(), 404);
    let asked = world.get("t", "live?fault=drop:1").send().await.unwrap();
    assert_eq!(asked.status(), 400);
    assert!(asked.text().await.unwrap().contains("faults_off"));
    let world = World::with(Options { origins: vec![PAGE.to_owned()], ..options() }).await;
    let url = format!("{}/admin/cut", world.base());
    let cut = |origin: &str| post(&world.client, url.clone(), &json!({})).header("origin", origin).send();
    assert_eq!(cut(PAGE).await.unwrap().status(), 403);
    assert_eq!(cut(&world.base()).await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_pages_files_have_their_types_and_stay_in_their_directory() {
    let files = tempfile::tempdir().unwrap();
    let (www, pkg) = (files.path().join("www"), files.path().join("pkg"));
    for dir in [&www, &pkg] {
        std::fs::create_dir(dir).unwrap();
    }
    std::fs::write(files.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(www.join("index.html"), "<!doctype html>").unwrap();
    std::fs::write(www.join("style.css"), "a{}").unwrap();
    std::fs::write(pkg.join("threadfold.js"), "export {}").unwrap();
    std::fs::write(pkg.join("threadfold_bg.wasm"), b"\0asm").unwrap();
    let site = Site { www: Some(www), pkg: Some(pkg) };
    let world = World::with(Options { site, ..options() }).await;
    for (path, media) in [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/style.css", "text/css"),
        ("/pkg/threadfold.js", "text/javascript"),
        ("/pkg/threadfold_bg.wasm", "application/wasm"),
    ] {
        let response = world.client.get(format!("{}{path}", world.base())).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], media, "{path}");
        assert_eq!(response.headers()["cache-control"], "no-store", "{path}");
    }
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/pkg/..%2f..%2fsecret.txt",
        "/pkg/%2e%2e/secret.txt",
    ] {
        let answer = raw_get(&world, path).await;
        assert!(!answer.contains("secret\0") && !answer.ends_with("secret"), "{path}: {answer}");
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
    }
}

/// A path as it is: clients tidy it up before they send it.
async fn raw_get(world: &World, path: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let address = world.host.as_ref().unwrap().address;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
