# SPDX-License-Identifier: MIT
"""The command: python -m ouro_audit SCRIPT_OR_MODULE."""

import argparse
import gc
import os
import runpy
import sys
import traceback

import ouro_audit

from . import baseline, child, examine, formats, package, subjects, trial
from .finding import RULES, Finding, name_of_type

CLEAN, FOUND, FAILED = 0, 1, 2

EPILOG = """\
exit status: 0 when there is nothing to report, 1 with findings that --fail-on counts, 2 when the
subject could not be run, or an option makes no sense.

A module or package is imported with everything below it. Each of its C types is tried in child
processes of its own: instances are made, filled, tied into cycles, dropped and collected. A crash
is a finding, and does not end the audit. A child has an empty folder, no standard input, limits of
memory and time, and none of the open files. But it may do anything else that the package can do, so
audit only what you would run. A script is run first. Objects that are alive when it ends are
audited, so keep them in global variables. Their types are tried, too. Mistakes of the standard
library itself are left out, unless --everything asks for them.
"""


class UsageError(Exception):
    """What is wrong with the options, as a message to the user."""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m ouro_audit", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Audit the C types of a package or of a program: tp_traverse, tp_clear,\n"
        "tp_dealloc, and whether cycles through them are collected.")
    parser.add_argument("subject", metavar="SCRIPT_OR_MODULE", nargs="?")
    parser.add_argument("arguments", nargs="*", metavar="ARG",
                        help="arguments of the script; after -- those that start with a dash")
    parser.add_argument("--stdlib", action="store_true",
                        help="instead of a subject: the standard library of this Python")
    parser.add_argument("--format", choices=sorted(formats.FORMATS), default="text",
                        help="text")
    parser.add_argument("--json", action="store_const", const="json", dest="format",
                        help="the same as --format json")
    parser.add_argument("--type", action="append", default=[], metavar="NAME",
                        help="only this type (pkg.Type, or Type); may be repeated")
    parser.add_argument("--borrowed", action="append", default=[], metavar="TYPE:OFFSET",
                        help="this field is borrowed: no GC-T01")
    parser.add_argument("--ignore", action="append", default=[], metavar="CODE[:TYPE]",
                        help="leave out these findings")
    parser.add_argument("--fail-on", choices=("certain", "any", "never"), default="any",
                        help="which findings make the exit status 1 (any)")
    parser.add_argument("--baseline", metavar="FILE",
                        help="leave out the findings that are in this file")
    parser.add_argument("--write-baseline", metavar="FILE",
                        help="write the findings to this file; the exit status is 0")
    parser.add_argument("--everything", action="store_true",
                        help="also report the types of the standard library")
    parser.add_argument("--no-exercise", action="store_true",
                        help="make no instances and no experiments: audit what is alive")
    parser.add_argument("--brief", action="store_true",
                        help="without the programs that reproduce findings")
    parser.add_argument("--timeout", type=float, default=10, metavar="SECONDS",
                        help="for the experiments with one type (10)")
    parser.add_argument("--version", action="version", version="ouro_audit %s, CPython %s" % (
        ouro_audit.__version__, sys.version.split()[0]))
    return parser.parse_args(arguments)


# --- options ------------------------------------------------------------------------------------


def borrowed_fields(texts):
    fields = []
    for item in texts:
        name, _, offset = item.rpartition(":")
        if not name or not offset.isdigit():
            raise UsageError("--borrowed takes TYPE:OFFSET, such as pkg.Node:24")
        fields.append((name, int(offset)))
    return fields


def check_options(options):
    if (options.subject is None) != options.stdlib:
        raise UsageError("which script, module or package? Or --stdlib")
    for item in options.ignore:
        if item.partition(":")[0] not in RULES:
            raise UsageError("--ignore %s: there is no such code; there are %s"
                             % (item, " ".join(RULES)))
    if not child.can_fork() and not options.no_exercise:
        raise UsageError("this Python runs without its global lock: experiments in forked "
                         "children are not possible; use --no-exercise")


def check_names(options, known):
    """Named types must exist; otherwise the option has a typing error."""
    short = {name.rpartition(".")[2] for name in known}
    for option, names in (("--type", options.type),
                          ("--ignore", [item.partition(":")[2] for item in options.ignore])):
        for name in names:
            if name and name not in known and name not in short:
                raise UsageError("%s %s: there is no such type" % (option, name))


# --- running ------------------------------------------------------------------------------------


def show_progress(message):
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K%.78s" % message)
        sys.stderr.flush()


def run_script(options):
    """Run the script. Returns its global variables, which must stay alive. Raises what it raises."""
    sys.argv = [options.subject] + options.arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.subject)))
    try:
        return runpy.run_path(options.subject, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        return None


def types_alive():
    """The C types of the tracked objects, without those of Python itself."""
    kinds = {trial.c_type(type(item)) for item in gc.get_objects()}
    return sorted((kind for kind in kinds if subjects.file_of(kind) is not None
                   and not examine.is_standard(kind)), key=name_of_type)


def audit_script(options, borrowed):
    kept = run_script(options)
    result = package.Result()
    result.known = {name_of_type(kind) for kind in subjects.all_types()}

    def look(tell):
        findings, audited, given_up = ouro_audit._run(None, None, borrowed)
        tell(audited=audited)
        for finding in findings:
            tell(finding=finding.as_dict(), standard=package.is_standard_finding(finding))

    def hear(message):
        if "audited" in message:
            result.audited += message["audited"]
        elif options.everything or not message["standard"]:
            result.findings.append(Finding(**message["finding"]))

    ending = child.run_trusted(look, hear)
    if not ending:
        result.notes.append("the audit did not end: %s" % ending)
    for kind in [] if options.no_exercise else types_alive():
        show_progress(name_of_type(kind))
        tried = examine.examine(kind, examine.sources_of(kind), options.timeout)
        package.add_examined(result, tried)
    result.findings = examine.settle(result.findings)
    del kept
    return result


def audit_modules(options, borrowed):
    sys.path.insert(0, os.getcwd())
    return package.audit_package(package.Options(
        ["--stdlib"] if options.stdlib else [options.subject], seconds=options.timeout,
        exercise=not options.no_exercise, only=options.type, borrowed=borrowed,
        everything=options.everything or options.stdlib), progress=show_progress)


def is_wanted(finding, options):
    names = {name for type_name in [finding.type_name] + finding.types
             for name in (type_name, type_name.rpartition(".")[2])}
    if options.type and not names.intersection(options.type):
        return False
    ignored = {finding.code} | {"%s:%s" % (finding.code, name) for name in names}
    return not ignored.intersection(options.ignore)


def run(options):
    check_options(options)
    borrowed = borrowed_fields(options.borrowed)
    known = baseline.read(options.baseline) if options.baseline else set()
    is_script = not options.stdlib and os.path.isfile(options.subject)
    result = (audit_script if is_script else audit_modules)(options, borrowed)
    show_progress("")
    if result.error:
        print("%s\nouro_audit: %s could not be audited" % (
            result.error.rstrip(), options.subject or "--stdlib"), file=sys.stderr)
        return FAILED
    check_names(options, result.known | {name for finding in result.findings
                                         for name in finding.types})
    found = [finding for finding in result.findings if is_wanted(finding, options)]
    result.findings = baseline.new_findings(found, known)
    result.known_findings = len(found) - len(result.findings)
    sys.stdout.write(formats.render(options.format, result, not options.brief))
    if options.write_baseline:
        baseline.write(options.write_baseline, found)
        return CLEAN
    counted = [finding for finding in result.findings
               if finding.certain or options.fail_on == "any"]
    return FOUND if counted and options.fail_on != "never" else CLEAN


def main(arguments=None):
    options = parse_arguments(arguments)
    gc.collect()
    try:
        return run(options)
    except (UsageError, baseline.BaselineError) as error:
        print("ouro_audit: %s" % error, file=sys.stderr)
    except SystemExit as end:
        print("ouro_audit: %s ended with status %s" % (options.subject, end.code),
              file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        print("ouro_audit: %s could not be run" % options.subject, file=sys.stderr)
    return FAILED
