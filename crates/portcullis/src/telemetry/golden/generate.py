"""Writes what the messages of `tests.rs` are in protobuf and JSON, by the package `opentelemetry-proto`: none of it comes from our own encoder.

    python -m venv /tmp/otlp && /tmp/otlp/bin/pip install opentelemetry-proto
    /tmp/otlp/bin/python crates/portcullis/src/telemetry/golden/generate.py
"""

import base64
import json
import pathlib

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
TRACE = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
SPAN = bytes.fromhex("00f067aa0ba902b7")
PARENT = bytes.fromhex("b7ad6b7169203331")
CHILD = bytes.fromhex("0102030405060708")
BEGAN, ENDED = 1_790_000_000_000_000_000, 1_790_000_000_001_500_000


def text(value):
    return {"string_value": value}


def below(all_name, within, items, name):
    scoped = {
        "scope": {
            "name": "portcullis",
            "version": "0.0.0",
            "attributes": [
                {"key": "semantic-conventions-genai", "value": text("0.1.0")},
                {"key": "semantic-conventions", "value": text("1.41.0")},
            ],
        },
        name: items,
        "schema_url": SCHEMA,
    }
    resource = {
        "attributes": [
            {"key": "service.name", "value": text("portcullis")},
            {"key": "service.version", "value": text("0.0.0")},
            {"key": "service.instance.id", "value": text("gate-a")},
        ]
    }
    return {all_name: [{"resource": resource, within: [scoped]}]}


ATTRIBUTES = [
    {"key": "gen_ai.tool.name", "value": text("bash é")},
    {"key": "portcullis.rules", "value": {"array_value": {"values": [text("a.b"), text("c.d")]}}},
    {"key": "portcullis.record.seq", "value": {"int_value": -3}},
    {"key": "portcullis.approval.waited", "value": {"double_value": 1.5}},
]

logs = ExportLogsServiceRequest(
    **below(
        "resource_logs",
        "scope_logs",
        [
            {
                "time_unix_nano": ENDED,
                "observed_time_unix_nano": ENDED,
                "severity_number": 13,
                "severity_text": "WARN",
                "body": text("deny bash: risk critical"),
                "attributes": ATTRIBUTES,
                "flags": 1,
                "trace_id": TRACE,
                "span_id": SPAN,
                "event_name": "portcullis.decision",
            },
            {
                "time_unix_nano": ENDED,
                "observed_time_unix_nano": ENDED,
                "severity_number": 17,
                "severity_text": "ERROR",
                "body": text("lost"),
                "attributes": [{"key": "portcullis.rules", "value": {"array_value": {}}}],
                "event_name": "portcullis.delivery.failed",
            },
        ],
        "log_records",
    )
)

traces = ExportTraceServiceRequest(
    **below(
        "resource_spans",
        "scope_spans",
        [
            {
                "trace_id": TRACE,
                "span_id": SPAN,
                "parent_span_id": PARENT,
                "name": "execute_tool bash",
                "kind": 2,
                "start_time_unix_nano": BEGAN,
                "end_time_unix_nano": ENDED,
                "attributes": ATTRIBUTES,
                "flags": 0x301,
            },
            {
                "trace_id": TRACE,
                "span_id": CHILD,
                "parent_span_id": SPAN,
                "name": "wait for a person",
                "kind": 1,
                "start_time_unix_nano": BEGAN,
                "end_time_unix_nano": ENDED,
                "attributes": [{"key": "portcullis.approval.status", "value": text("denied")}],
                "flags": 0x100,
            },
        ],
        "spans",
    )
)


def label(key, value):
    return {"key": key, "value": text(value)}


metrics = ExportMetricsServiceRequest(
    **below(
        "resource_metrics",
        "scope_metrics",
        [
            {
                "name": "portcullis.findings",
                "description": "Rules that calls were judged by, with what was decided",
                "unit": "{finding}",
                "sum": {
                    "aggregation_temporality": 2,
                    "is_monotonic": True,
                    "data_points": [
                        {
                            "start_time_unix_nano": BEGAN,
                            "time_unix_nano": ENDED,
                            "as_int": 7,
                            "attributes": [label("rule", "a.b"), label("decision", "ask")],
                        },
                        {
                            "start_time_unix_nano": BEGAN,
                            "time_unix_nano": ENDED,
                            "as_int": 0,
                            "attributes": [label("rule", "c.d"), label("decision", "deny")],
                        },
                    ],
                },
            },
            {
                "name": "portcullis.pending",
                "description": "Requests that wait for a person",
                "unit": "{request}",
                "gauge": {"data_points": [{"time_unix_nano": ENDED, "as_int": -1}]},
            },
            {
                "name": "portcullis.wait",
                "description": "How long calls were held until they were decided, or no longer",
                "unit": "s",
                "histogram": {
                    "aggregation_temporality": 2,
                    "data_points": [
                        {
                            "start_time_unix_nano": BEGAN,
                            "time_unix_nano": ENDED,
                            "count": 3,
                            "sum": 90_002.5,
                            "bucket_counts": [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
                            "explicit_bounds": [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400],
                            "attributes": [label("status", "approved")],
                        }
                    ],
                },
            },
        ],
        "metrics",
    )
)


def as_otlp(value):
    """JSON of protobuf as OTLP has it: names of traces and spans in hexadecimal digits, enumerations as numbers."""
    if isinstance(value, dict):
        out = {}
        for key, inner in value.items():
            if key in ("traceId", "spanId", "parentSpanId"):
                out[key] = base64.b64decode(inner).hex()
            else:
                out[key] = as_otlp(inner)
        return out
    return [as_otlp(inner) for inner in value] if isinstance(value, list) else value


here = pathlib.Path(__file__).parent
for name, message in (("logs", logs), ("traces", traces), ("metrics", metrics)):
    (here / f"{name}.hex").write_text(message.SerializeToString(deterministic=True).hex() + "\n")
    written = json_format.MessageToDict(message, use_integers_for_enums=True)
    (here / f"{name}.json").write_text(json.dumps(as_otlp(written), indent=1, ensure_ascii=False) + "\n")
