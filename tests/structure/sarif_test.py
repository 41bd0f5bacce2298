"""Checks logs of `sysdlc --format sarif` against what SARIF 2.1.0 (OASIS standard, 27 March 2020) requires of them: members
that must and may be there, their types and ranges, references between them. Usage: sarif_test.py SYSDLC GOLDEN_FOLDER"""

import glob
import json
import os
import re
import subprocess
import sys

LEVELS = {"none", "note", "warning", "error"}
# Members that we write, by object: required ones first. The standard allows no others than its own.
MEMBERS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "originalUriBaseIds", "invocations", "results"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"semanticVersion", "rules"}),
    "rule": ({"id"}, {"shortDescription", "help", "defaultConfiguration"}),
    "configuration": (set(), {"level"}),
    "text": ({"text"}, {"markdown"}),
    "invocation": ({"executionSuccessful"}, set()),
    "result": ({"message"}, {"ruleId", "level", "locations", "relatedLocations", "fixes"}),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message"}),
    "physical": ({"artifactLocation"}, {"region"}),
    "artifact": ({"uri"}, {"uriBaseId"}),
    "region": (set(), {"startLine", "startColumn", "endLine", "endColumn"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "change": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "logical": (set(), {"fullyQualifiedName"}),
}


def has(kind, item):
    required, optional = MEMBERS[kind]
    assert isinstance(item, dict), (kind, item)
    assert required <= item.keys(), f"{kind} lacks {required - item.keys()}"
    assert item.keys() <= required | optional, f"{kind} has {item.keys() - required - optional}"


def text(item):
    has("text", item)
    assert isinstance(item["text"], str) and item["text"], item


def region(item):
    has("region", item)
    assert all(isinstance(value, int) and value >= 1 for value in item.values()), item
    begin = (item["startLine"], item["startColumn"])
    assert begin <= (item["endLine"], item["endColumn"]), item


def artifact(item, run):
    has("artifact", item)
    # 3.4.3: a URI reference (RFC 3986).
    assert re.fullmatch(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})+", item["uri"]), item
    if "uriBaseId" in item:
        assert item["uriBaseId"] in run["originalUriBaseIds"], item


def location(item, run):
    has("location", item)
    if "physicalLocation" in item:
        has("physical", item["physicalLocation"])
        artifact(item["physicalLocation"]["artifactLocation"], run)
        region(item["physicalLocation"]["region"])
    for logical in item.get("logicalLocations", []):
        has("logical", logical)
    assert "physicalLocation" in item or item["logicalLocations"]
    if "message" in item:
        text(item["message"])


def result(item, run, rules):
    has("result", item)
    text(item["message"])
    assert item["ruleId"] in rules and item["level"] in LEVELS, item
    for place in item.get("locations", []):
        location(place, run)
    related = item.get("relatedLocations", [])
    for place in related:
        location(place, run)
    ids = [place["id"] for place in related]
    assert len(set(ids)) == len(ids) and all(number >= 0 for number in ids), ids
    for fix in item.get("fixes", []):
        has("fix", fix)
        assert fix["artifactChanges"]
        for change in fix["artifactChanges"]:
            has("change", change)
            artifact(change["artifactLocation"], run)
            assert change["replacements"]
            for replacement in change["replacements"]:
                has("replacement", replacement)
                region(replacement["deletedRegion"])
                if "insertedContent" in replacement:
                    assert isinstance(replacement["insertedContent"]["text"], str)


def check(log):
    has("log", log)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    has("run", run)
    has("tool", run["tool"])
    driver = run["tool"]["driver"]
    has("driver", driver)
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules), "3.19.23: each rule once"
    for rule in driver["rules"]:
        has("rule", rule)
        text(rule["shortDescription"])
        text(rule["help"])
        has("configuration", rule["defaultConfiguration"])
        assert rule["defaultConfiguration"]["level"] in LEVELS
    assert run["columnKind"] == "utf16CodeUnits"
    for invocation in run["invocations"]:
        has("invocation", invocation)
        assert isinstance(invocation["executionSuccessful"], bool)
    for item in run["results"]:
        result(item, run, set(rules))
    assert {item["ruleId"] for item in run["results"]} == set(rules), "no rule without a result"
    return run["results"]


def covered(item, folder):
    """The text of the primary region, counted in UTF-16 units as columnKind says."""
    place = item["locations"][0].get("physicalLocation")
    if not place or "uriBaseId" in place["artifactLocation"]:
        return None
    span = place["region"]
    if span["startLine"] != span["endLine"]:
        return None
    with open(os.path.join(folder, place["artifactLocation"]["uri"]), "rb") as file:
        line = file.read().split(b"\n")[span["startLine"] - 1]
    units = line.decode().encode("utf-16-le")
    return units[2 * (span["startColumn"] - 1) : 2 * (span["endColumn"] - 1)].decode("utf-16-le")


def main():
    program, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
    results = words = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.sysdl"))):
        name = os.path.basename(path)
        for command in ("check", "eval", "test"):
            run = lambda form: subprocess.run(
                [program, command, name, "--format", form], cwd=folder, capture_output=True, check=False)
            log = run("sarif")
            assert not log.stderr, log.stderr
            found = check(json.loads(log.stdout))
            results += len(found)
            if command == "eval":  # its JSON also has results, which may say more
                continue
            plain = run("json")
            expected = json.loads(plain.stdout)["diagnostics"]
            assert log.returncode == plain.returncode
            assert [item["code"] for item in expected] == [item["ruleId"] for item in found], path
            for item, same in zip(found, expected):
                assert item["level"] == same["severity"]
                assert same["message"].split("\n")[0] in item["message"]["text"] or "�" in item["message"]["text"]
                if not item.get("locations"):
                    continue
                word = covered(item, folder)
                # A message that quotes the name it is about points to that name.
                quoted = re.match(r"unknown (?:name|unit|kind) `([^`]*)`", same["message"])
                if word is not None and quoted:
                    assert word == quoted.group(1), (path, word, quoted.group(1))
                    words += 1
    assert results > 100 and words > 5, (results, words)
    refused = subprocess.run([program, "check", "--format", "sarif"], capture_output=True, check=False)
    assert refused.returncode == 2
    log = json.loads(refused.stdout)
    (item,) = check(log)
    assert item["ruleId"] == "E0904" and not log["runs"][0]["invocations"][0]["executionSuccessful"]
    print(f"{results} results are sound, {words} places are those of the names quoted")


main()
