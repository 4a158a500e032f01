#!/usr/bin/env python3
"""Asks a real Prometheus every question of the dashboard about a gateway that runs, and has a real collector of OpenTelemetry read what that gateway exports.

    python3 packaging/grafana/check.py PORTCULLIS PROMETHEUS [COLLECTOR]

PROMETHEUS is the program `prometheus` (Debian: `apt-get download prometheus && dpkg -x prometheus_*.deb there`). COLLECTOR is `rotel-agent` of the package `rotel` of PyPI, and wants the
package `opentelemetry-proto` beside it: what the collector passes on is read with that. Everything stays on the loopback, and ends with this. Exit code 0: everything has an answer.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DASHBOARD = pathlib.Path(__file__).with_name("portcullis.json")
PATIENCE = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(url, token=None, body=None):
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode())
    if token:
        request.add_header("authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def until(holds, what):
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        with contextlib.suppress(OSError, ValueError):
            if found := holds():
                return found
        time.sleep(0.1)
    raise SystemExit(f"not within {PATIENCE} s: {what}")


@contextlib.contextmanager
def running(command, **options):
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(timeout=30)


class Behind(BaseHTTPRequestHandler):
    """Whom the collector passes on to: keeps what comes."""

    came = {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.came.setdefault(self.path, []).append(body)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def passed_on():
    """What the collector passed on: names of logs, spans and metrics."""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    def read(path, kind):
        return [kind.FromString(body) for body in Behind.came.get(path, [])]

    logs = [
        log
        for request in read("/v1/logs", ExportLogsServiceRequest)
        for resource in request.resource_logs
        for scope in resource.scope_logs
        for log in scope.log_records
    ]
    spans = [
        span
        for request in read("/v1/traces", ExportTraceServiceRequest)
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    metrics = {
        metric.name
        for request in read("/v1/metrics", ExportMetricsServiceRequest)
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    return logs, spans, metrics


def drive(url, person, agents):
    """Calls of every kind: allowed, denied, asked about and answered while somebody waits."""
    call = lambda command: {"tool": "bash", "arguments": {"command": command}, "agent": "claude"}
    for command in ("ls", "git status", "rm -rf /"):
        ask(f"{url}/v1/judge", agents, call(command))
    waits = threading.Thread(target=ask, args=(f"{url}/v1/judge?wait=30", agents, call("rm -rf /srv/data")))
    waits.start()
    pending = until(
        lambda: json.loads(ask(f"{url}/v1/approvals?status=pending", person))["approvals"], "a request"
    )
    for one in pending:
        with contextlib.suppress(urllib.error.HTTPError):
            ask(f"{url}/v1/approvals/{one['id']}/decision", person, {"decision": "deny"})
    waits.join()


def questions():
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"]
            for name, value in (("$__rate_interval", "30s"), ("$__range", "5m"), ("$agent", ".*"), ("$project", ".*")):
                text = text.replace(name, value)
            yield text


def main(portcullis, prometheus, collector=None):
    folder = tempfile.TemporaryDirectory()
    home = pathlib.Path(folder.name)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with contextlib.ExitStack() as stack:
        stack.enter_context(folder)
        otlp, nobody, behind, web = (free_port() for _ in range(4))
        if collector:
            server = ThreadingHTTPServer(("127.0.0.1", behind), Behind)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            words = [collector, "start", "--otlp-http-endpoint", f"127.0.0.1:{otlp}", "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}"]
            words += ["--exporter", "otlp", "--otlp-exporter-endpoint", f"http://127.0.0.1:{behind}", "--otlp-exporter-protocol", "http"]
            stack.enter_context(running(words, **quiet))
            until(lambda: socket.create_connection(("127.0.0.1", otlp)), "the collector")
        # The second tells nobody, and has room for one event, so that there is something that was dropped.
        gateways = []
        for name, port, more in (("told", otlp if collector else nobody, ""), ("alone", nobody, "queue = 1\n")):
            place = home / name
            place.mkdir()
            endpoint = f'endpoint = "http://127.0.0.1:{port}"\n'
            (place / "config.toml").write_text(f"[serve.telemetry]\nevery = 1\n{endpoint}{more}")
            # Somebody is told of requests in vain.
            words = [portcullis, "serve", "--listen", "127.0.0.1:0", "--json", "--config", str(place / "config.toml")]
            words += ["--webhook", f"http://127.0.0.1:{nobody}/nobody"]
            environment = {"HOME": str(place), "PATH": os.environ["PATH"]}
            child = stack.enter_context(
                running(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=place)
            )
            told = json.loads(child.stdout.readline())
            read = lambda name: pathlib.Path(told[name]).read_text().strip()
            gateways.append((told["listening"], read("token_file"), read("agents_token_file")))
        scrapes = [
            {
                "job_name": url,
                "scrape_interval": "1s",
                "static_configs": [{"targets": [url.removeprefix("http://")]}],
                "authorization": {"credentials": person},
            }
            for url, person, _ in gateways
        ]
        # JSON is YAML.
        (home / "prometheus.yml").write_text(json.dumps({"scrape_configs": scrapes}))
        words = [prometheus, f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/tsdb"]
        words += [f"--web.listen-address=127.0.0.1:{web}"]
        stack.enter_context(running(words, **quiet))
        until(lambda: ask(f"http://127.0.0.1:{web}/-/ready"), "Prometheus")
        for _ in range(4):
            for gateway in gateways:
                drive(*gateway)
            time.sleep(1.5)
        if collector:
            until(lambda: all(passed_on()), "everything from the collector")
            time.sleep(3)
            logs, spans, metrics = passed_on()
            decisions = [log for log in logs if log.body.string_value.startswith(("allow bash", "ask bash", "deny bash"))]
            print(f"collector: {len(logs)} logs, {len(decisions)} of decisions, {len(spans)} spans, {len(metrics)} metrics")
            names = {span.name for span in spans}
            assert len(decisions) == 16, [log.body.string_value for log in logs]
            assert {"execute_tool bash", "wait for a person"} <= names, names
            assert {"portcullis.decisions", "portcullis.judge", "portcullis.telemetry.exported"} <= metrics, metrics
        empty, asked = [], list(questions())
        for question in asked:
            query = urllib.parse.urlencode({"query": question})
            answer = json.loads(ask(f"http://127.0.0.1:{web}/api/v1/query?{query}"))
            assert answer["status"] == "success", (question, answer)
            if not answer["data"]["result"]:
                empty.append(question)
        print(f"Prometheus: {len(asked)} questions, {len(empty)} without an answer")
        for question in empty:
            print(f"  nothing: {question}")
        # Without a collector nothing is exported.
        if [one for one in empty if collector or "exported" not in one]:
            raise SystemExit(1)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
