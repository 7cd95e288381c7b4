# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""total.py STATUS REPORT...: adds up JUnit reports and prints 'N passed, N failed, N skipped'.

STATUS is not 0 if a runner failed. The exit status is 0 if all is well and something ran.
"""
import sys
import xml.etree.ElementTree as ET


def outcomes(path):
    """Yields 'passed', 'failed' or 'skipped' for each case of a report."""
    for case in ET.parse(path).iter("testcase"):
        if case.get("status") == "notrun":
            continue
        children = {child.tag for child in case}
        if children & {"failure", "error"}:
            yield "failed"
        else:
            yield "skipped" if "skipped" in children or case.get("result") == "skipped" else "passed"


def main():
    total = {"passed": 0, "failed": 0, "skipped": 0}
    missing = False
    for path in sys.argv[2:]:
        try:
            cases = list(outcomes(path))
        except (OSError, ET.ParseError) as problem:
            print(f"no report of a test run: {problem}")
            missing = True
            continue
        for outcome in cases:
            total[outcome] += 1
        if not cases:
            print(f"no test ran: {path}")
            missing = True
    # A runner can fail without a failed case, by a crash before its report for example.
    if not total["failed"] and (sys.argv[1] != "0" or missing):
        print("a test runner failed: see above")
        total["failed"] = 1
    print(", ".join(f"{count} {outcome}" for outcome, count in total.items()))
    sys.exit(1 if total["failed"] or not total["passed"] else 0)


main()
