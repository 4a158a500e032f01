"""Renders the chart as helm would, for the part of its templates' language that the chart uses, and looks at what comes of it.

For where helm itself is not to be had: `python3 packaging/helm/check.py` (it wants PyYAML). Where it is, `helm lint` and `helm template` say more.
"""

import copy
import pathlib
import re

import yaml

CHART = pathlib.Path(__file__).parent / "portcullis"
FILES = ["_names.tpl", "statefulset.yaml", "migrate.yaml", "network.yaml"]


def pieces(text):
    """Texts and actions in turn, with the white space that `{{-` and `-}}` take away."""
    found, at, strips = [], 0, False
    for match in re.finditer(r"\{\{(-?)\s*(.*?)\s*(-?)\}\}", text, flags=re.S):
        before = text[at : match.start()]
        before = before.lstrip() if strips else before
        found += [("text", before.rstrip() if match[1] else before), ("action", match[2])]
        at, strips = match.end(), bool(match[3])
    rest = text[at:]
    return [*found, ("text", rest.lstrip() if strips else rest)]


def tree(found, ends=()):
    """Nested blocks: `if`, `range` and `define`, each with what stands in it and behind its `else`."""
    body = []
    while found:
        kind, said = found.pop(0)
        word = said.split(" ")[0]
        if kind == "text":
            body.append((kind, said))
        elif word in ends:
            return body, word
        elif word in ("if", "range", "define"):
            then, end = tree(found, ("else", "end"))
            other = tree(found, ("end",))[0] if end == "else" else []
            body.append((word, said[len(word) :].strip(), then, other))
        else:
            body.append((kind, said))
    assert not ends, f"a block without its end: {ends}"
    return body, ""


class Renderer:
    def __init__(self, values, version):
        self.root = {"Values": values, "Release": {"Name": "gate"}, "Chart": {"AppVersion": version}}
        self.named = {}

    def value(self, word, here):
        if word.startswith('"'):
            return word[1:-1]
        if word == ".":
            return here
        here = self.root if word.startswith("$.") else here
        for part in word.removeprefix("$").strip(".").split("."):
            here = here[part]
        return here

    def expression(self, said, here):
        result = None
        for step in said.split("|"):
            name, *given = re.findall(r'"[^"]*"|\S+', step)
            if name == "include":
                result = self.text(self.named[given[0][1:-1]], self.value(given[1], here))
            elif name == "toYaml":
                result = yaml.safe_dump(self.value(given[0], here), default_flow_style=False).rstrip()
            elif name == "nindent":
                result = "".join("\n" + " " * int(given[0]) + line for line in str(result).split("\n"))
            elif name == "quote":
                result = f'"{result}"'
            elif name == "default":
                result = result or self.value(given[0], here)
            else:
                assert not given, f"not a part that is known here: {step}"
                result = self.value(name, here)
        return result

    def text(self, body, here):
        out = ""
        for kind, said, *blocks in body:
            if kind == "text":
                out += said
            elif kind == "action":
                out += str(self.expression(said, here))
            elif kind == "if":
                out += self.text(blocks[0] if self.expression(said, here) else blocks[1], here)
            elif kind == "range":
                out += "".join(self.text(blocks[0], one) for one in self.expression(said, here))
            else:
                self.named[said[1:-1]] = blocks[0]
        return out

    def documents(self):
        found = []
        for name in FILES:
            text = self.text(tree(pieces((CHART / "templates" / name).read_text()))[0], self.root)
            found += [one for one in yaml.safe_load_all(text) if one] if name.endswith(".yaml") else []
        return found


def check_pod(document):
    spec = document["spec"]["template"]["spec"]
    container = spec["containers"][0]
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"], security
    assert not security["privileged"] and security["capabilities"] == {"drop": ["ALL"]}, security
    assert spec["securityContext"]["runAsNonRoot"] and spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    claims = {claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])}
    assert mounted == claims | {volume["name"] for volume in spec.get("volumes", [])}, mounted
    if document["kind"] == "StatefulSet":
        assert {"startupProbe", "readinessProbe", "livenessProbe", "resources"} <= container.keys()
        labels = document["spec"]["template"]["metadata"]["labels"]
        assert document["spec"]["selector"]["matchLabels"].items() <= labels.items()


def check(values, version, kinds):
    documents = Renderer(values, version).documents()
    assert sorted(one["kind"] for one in documents) == sorted(kinds), [one["kind"] for one in documents]
    names = [(one["kind"], one["metadata"]["name"]) for one in documents]
    assert len(set(names)) == len(names), names
    for one in documents:
        if one["kind"] in ("StatefulSet", "Job"):
            check_pod(one)
        if one["kind"] == "NetworkPolicy":
            assert one["spec"]["policyTypes"] == ["Ingress", "Egress"]
            ports = [port["port"] for rule in one["spec"]["egress"] for port in rule["ports"]]
            assert sorted(set(ports)) == [53, 5432] and all(rule["to"] for rule in one["spec"]["egress"])


def main():
    usual = yaml.safe_load((CHART / "values.yaml").read_text())
    version = yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]
    whole = copy.deepcopy(usual)
    whole["database"]["caSecret"] = whole["tls"]["secret"] = "secret"
    whole["configuration"], whole["twoPeople"] = "[hook]\napprove = 'never'\n", "critical"
    whole["ingress"].update(enabled=True, className="nginx", tlsSecret="secret")
    whole["networkPolicy"]["from"], whole["storage"]["className"] = [{"namespaceSelector": {}}], "fast"
    least = copy.deepcopy(usual)
    least["networkPolicy"]["enabled"] = least["database"]["migrate"]["enabled"] = False
    kinds = ["StatefulSet", "Service", "Service", "PodDisruptionBudget"]
    check(least, version, kinds)
    check(usual, version, [*kinds, "Job", "NetworkPolicy"])
    check(whole, version, [*kinds, "Job", "NetworkPolicy", "ConfigMap", "Ingress"])
    print("the chart renders with the fewest, the usual and all values, and its pods may do no more than they need")


if __name__ == "__main__":
    main()
