/* SPDX-License-Identifier: MIT */
/* ouro: the library's tool. This file reads the command line; docs/ouro.1 describes it. */
#include "cli.h"

#include <Python.h>

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: ouro check MODULE.so [--type NAME] [--script FILE] [--name NAME] [--json]\n"
    "                            [--timeout SECONDS] [--borrowed TYPE:OFFSET]...\n"
    "                            [--preload [NAME=]OTHER.so]... [--stub "
    "NAME[:ATTRIBUTE,...]]...\n"
    "       ouro heap FILE [--top N] [--object ADDRESS] [--explain [--json]] [--html "
    "FILE]\n"
    "       ouro heap --diff OLD NEW\n"
    "       ouro demo\n"
    "       ouro bench [ARGUMENTS]\n"
    "       ouro --help | --version\n";

static const char help[] =
    "\n"
    "check   Load an extension module, make instances of its types, tie them\n"
    "        into cycles, drop them, collect under stress, and report what its "
    "tp_traverse,\n"
    "        tp_clear and tp_dealloc do wrong. The module is compiled with\n"
    "            cc -shared -fPIC -g $(pkg-config --cflags ouroboros-check) m.c -o m.so\n"
    "  --type NAME        check this type only\n"
    "  --script FILE      do what the script says instead of guessing; for types whose\n"
    "                     constructors need arguments. One statement a line:\n"
    "                         node = m.Node(1, \"x\")\n"
    "                         node.next = node\n"
    "                         node.append(node)\n"
    "                         del node\n"
    "                         collect\n"
    "  --name NAME        the module's name; otherwise that of its function PyInit_NAME\n"
    "  --borrowed TYPE:OFFSET  this field owns nothing: no GC-T01\n"
    "  --preload [NAME=]FILE  load this module first, as the module imports it; NAME, "
    "as\n"
    "                     in package.part, if it is imported by another name than its "
    "own\n"
    "  --stub NAME[:ATTRIBUTE,...]  let a stub stand in for a module that it imports; "
    "by\n"
    "                     default one does for each that is missing, with any attribute\n"
    "  --json             the result as JSON\n"
    "  --timeout SECONDS  for each type, and for the script (20)\n"
    "  exit status: 0 clean; 1 findings; 2 something could not be checked\n"
    "heap    Show what a snapshot of a heap says: objects, bytes and retained bytes by "
    "type,\n"
    "        the objects that retain most, and what keeps them alive. "
    "Ouro_HeapSnapshot,\n"
    "        OURO_HEAP_SNAPSHOT=FILE and, inside CPython, ouro_heap write snapshots.\n"
    "  --top N            lines of each table (10)\n"
    "  --object ADDRESS   one object: its path, its referrers, its references\n"
    "  --explain          each type: unaccounted references, a path, a cycle; or --json\n"
    "  --diff OLD NEW     what grew between two snapshots\n"
    "  --html FILE        a page with a treemap, tables and every object\n"
    "demo    Show the library at work.\n"
    "bench   Run the benchmarks of the source tree.\n"
    "\n"
    "The manual is ouro(1); the codes are explained in docs/checker.md.\n";

int
fail(const char *format, const char *argument)
{
    fputs("ouro: ", stderr);
    fprintf(stderr, format, argument);
    fprintf(stderr, "\n%s", usage);
    return STATUS_NOT_CHECKED;
}

/* ---- other programs: demo and bench ------------------------------------------------------ */

/* Replace this process by FOLDER/path, FOLDER being where `ouro` is. Returns if there is no
 * such program. */
static void
become(const char *path, char **arguments)
{
    char self[PATH_MAX - 200], program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        const char *folder = dirname(self);
        setenv("BUILD", folder, 0); /* bench/run.sh asks for it */
        snprintf(program, sizeof(program), "%s/%s", folder, path);
        arguments[0] = program;
        execv(program, arguments);
    }
}

static int
demo_command(char **arguments)
{
    become("../libexec/ouroboros/demo", arguments); /* installed */
    become("release/demo", arguments);              /* in build/ */
    fputs("ouro: the demonstration is not installed; in the source tree: make run\n",
          stderr);
    return STATUS_NOT_CHECKED;
}

static int
bench_command(char **arguments)
{
    if (access("bench/run.sh", X_OK) == 0) {
        arguments[0] = "bench/run.sh";
        execv(arguments[0], arguments);
    }
    become("../bench/run.sh", arguments); /* from build/ */
    fputs(
        "ouro: the benchmarks are part of the source tree: call `ouro bench` there, or\n"
        "`make bench`, which builds them first\n",
        stderr);
    return STATUS_NOT_CHECKED;
}

/* ---- check ----------------------------------------------------------------------------------- */

const char *
option_value(const char *name, char **arguments, int *at)
{
    size_t length = strlen(name);
    const char *argument = arguments[*at];
    if (strncmp(argument, name, length) != 0) {
        return NULL;
    }
    if (argument[length] == '=') {
        return argument + length + 1;
    }
    if (argument[length] == '\0' && arguments[*at + 1] != NULL) {
        *at += 1;
        return arguments[*at];
    }
    return NULL;
}

static bool
read_timeout(const char *text, double *timeout)
{
    char *end;
    *timeout = strtod(text, &end);
    return *end == '\0' && end != text && *timeout > 0;
}

/* TYPE:OFFSET */
static bool
is_field(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon != NULL && colon != text && colon[1] != '\0' &&
           strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static int
parse_check(char **arguments)
{
    struct options options = {.timeout = 20};
    bool has_room = true;
    for (int i = 0; arguments[i] != NULL && has_room; i++) {
        const char *value;
        if (strcmp(arguments[i], "--json") == 0) {
            options.is_json = true;
        } else if ((value = option_value("--type", arguments, &i)) != NULL) {
            options.type = value;
        } else if ((value = option_value("--script", arguments, &i)) != NULL) {
            options.script = value;
        } else if ((value = option_value("--name", arguments, &i)) != NULL) {
            options.name = value;
        } else if ((value = option_value("--stub", arguments, &i)) != NULL) {
            has_room = add_setting(&options, "stub", value);
        } else if ((value = option_value("--preload", arguments, &i)) != NULL) {
            has_room = add_setting(&options, "preload", value);
        } else if ((value = option_value("--borrowed", arguments, &i)) != NULL) {
            if (!is_field(value)) {
                return fail("--borrowed takes TYPE:OFFSET, such as m.Node:24, not '%s'",
                            value);
            }
            has_room = add_setting(&options, "borrowed", value);
        } else if ((value = option_value("--timeout", arguments, &i)) != NULL) {
            if (!read_timeout(value, &options.timeout)) {
                return fail("'%s' is not a number of seconds", value);
            }
        } else if (arguments[i][0] == '-') {
            return fail("'%s' is no option of check, or lacks its value", arguments[i]);
        } else if (options.module != NULL) {
            return fail("one module at a time: '%s'", arguments[i]);
        } else {
            options.module = arguments[i];
        }
    }
    if (!has_room) {
        return fail("%s", "too many of --stub, --preload and --borrowed");
    }
    return options.module == NULL ? fail("%s", "which module?") : check_command(&options);
}

int
main(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "";
    if (strcmp(command, "check") == 0 && count > 2 &&
        strcmp(arguments[2], "--help") != 0) {
        return parse_check(arguments + 2);
    }
    if (strcmp(command, "heap") == 0 && count > 2 &&
        strcmp(arguments[2], "--help") != 0) {
        return heap_command(arguments + 2);
    }
    if (strcmp(command, "--worker") == 0) {
        return worker_command(count - 2, arguments + 2);
    }
    if (strcmp(command, "demo") == 0) {
        return demo_command(arguments + 1);
    }
    if (strcmp(command, "bench") == 0) {
        return bench_command(arguments + 1);
    }
    if (strcmp(command, "--version") == 0) {
        printf("ouro %s\n", OURO_VERSION);
        return STATUS_CLEAN;
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 ||
        ((strcmp(command, "check") == 0 || strcmp(command, "heap") == 0) && count > 2)) {
        printf("%s%s", usage, help);
        return STATUS_CLEAN;
    }
    return command[0] == '\0' ? fail("%s", "which command?")
                              : fail("there is no command '%s'", command);
}
