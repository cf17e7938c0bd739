# SPDX-License-Identifier: MIT
"""python -m ouro_audit SCRIPT_OR_MODULE: run or import it, then audit what is alive."""

import argparse
import gc
import importlib
import json
import os
import runpy
import sys
import sysconfig
import traceback

import ouro_audit

CLEAN, FOUND, FAILED = 0, 1, 2

EPILOG = """\
exit status: 0 when there is nothing to report, 1 with findings that --fail-on counts, 2 when
the script or module could not be run.

A script ends before it is audited, but its global variables are still there: keep the objects
that are to be audited in them. A module is imported, and one instance is made of each of its
types that needs no arguments. Mistakes of the standard library itself are left out unless
--everything asks for them.
"""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m ouro_audit", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Audit the tp_traverse functions of the C types of a program: run the\n"
        "script or import the module, then look at every object that the collector tracks.")
    parser.add_argument("subject", metavar="SCRIPT_OR_MODULE")
    parser.add_argument("arguments", nargs="*", metavar="ARG",
                        help="arguments of the script; after -- those that start with a dash")
    parser.add_argument("--json", action="store_true", help="findings as JSON")
    parser.add_argument("--type", action="append", default=[], metavar="NAME",
                        help="only findings about this type (pkg.Type, or Type); may be repeated")
    parser.add_argument("--borrowed", action="append", default=[], metavar="TYPE:OFFSET",
                        help="this field is borrowed: no GC-T01")
    parser.add_argument("--ignore", action="append", default=[], metavar="CODE[:TYPE]",
                        help="leave out these findings")
    parser.add_argument("--fail-on", choices=("certain", "any", "never"), default="any",
                        help="which findings make the exit status 1 (any)")
    parser.add_argument("--everything", action="store_true",
                        help="also report the types of the standard library")
    parser.add_argument("--no-instances", action="store_true",
                        help="make no instances of the types of a module")
    return parser.parse_args(arguments)


def make_instances(module):
    """One instance of each type of the module, where no arguments are needed."""
    instances = []
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            try:
                instance = value()
            except Exception:  # needs arguments, or is abstract
                continue
            instances.append(instance)
            try:
                instance.ouro_audit = [instance]  # fills the dict, if there is one
            except Exception:
                pass
    return instances


def run_subject(options):
    """Run it; what must stay alive for the audit."""
    subject = options.subject
    if os.path.exists(subject):
        sys.argv = [subject] + options.arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(subject)))
        try:
            return runpy.run_path(subject, run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
            return None
    sys.path.insert(0, os.getcwd())
    module = importlib.import_module(subject)
    return module, [] if options.no_instances else make_instances(module)


def borrowed_fields(texts):
    fields = []
    for text in texts:
        name, _, offset = text.rpartition(":")
        if not name or not offset.isdigit():
            sys.exit("ouro_audit: --borrowed takes TYPE:OFFSET, such as pkg.Node:24")
        fields.append((name, int(offset)))
    return fields


def is_standard(finding, options):
    """Is it about a module of the standard library, other than the subject itself?"""
    module = finding.object
    if finding.type_name != "module":
        module = sys.modules.get(finding.type.__module__)
    name = getattr(module, "__name__", "")
    file = getattr(module, "__file__", None)
    if name == options.subject or (module is None and not finding.type.__module__):
        return False
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    return file is None or ("site-packages" not in file and "dist-packages" not in file
                            and any(file.startswith(folder + os.sep) for folder in folders))


def is_wanted(finding, options):
    names = (finding.type_name, finding.type.__name__)
    if options.type and not any(name in options.type for name in names):
        return False
    ignored = {finding.code} | {"%s:%s" % (finding.code, name) for name in names}
    return not ignored.intersection(options.ignore)


def print_findings(findings, audited, given_up, options):
    if options.json:
        print(json.dumps({
            "python": sys.version.split()[0],
            "audited": audited,
            "given_up": given_up,
            "findings": [finding.as_dict() for finding in findings],
        }, indent=2))
        return
    for finding in findings:
        print(finding)
    certain = sum(finding.certain for finding in findings)
    print("ouro_audit: %d objects audited: %d findings, %d suspicions"
          % (audited, certain, len(findings) - certain))
    if given_up:
        print("ouro_audit: %d objects were too large to be audited" % given_up)


def main(arguments=None):
    options = parse_arguments(arguments)
    borrowed = borrowed_fields(options.borrowed)
    try:
        kept = run_subject(options)
    except SystemExit as end:
        print("ouro_audit: %s ended with status %s" % (options.subject, end.code),
              file=sys.stderr)
        return FAILED
    except BaseException:
        traceback.print_exc()
        print("ouro_audit: %s could not be run" % options.subject, file=sys.stderr)
        return FAILED
    findings, audited, given_up = ouro_audit._run(None, None, borrowed)
    findings = [finding for finding in findings if is_wanted(finding, options)]
    if not options.everything:
        findings = [finding for finding in findings if not is_standard(finding, options)]
    print_findings(findings, audited, given_up, options)
    del kept
    counted = [finding for finding in findings
               if finding.certain or options.fail_on == "any"]
    return FOUND if counted and options.fail_on != "never" else CLEAN


if __name__ == "__main__":
    gc.collect()
    sys.exit(main())
