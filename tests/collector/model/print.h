/* SPDX-License-Identifier: MIT */
/* Prints recorded operations as a test in C, for a file beside test_collect_model.c. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_PRINT_H
#define OURO_TESTS_COLLECTOR_MODEL_PRINT_H

#include "record.h"

static const char *const kind_names[KINDS] = {"TINY",        "PAIR",     "PAIR_FINAL",
                                              "PAIR_LEGACY", "VAR",      "VAR_FINAL",
                                              "HEAP_PAIR",   "LEAD_PAIR"};
static const char *const action_names[ACTIONS] = {"NOTHING", "RESURRECT", "DROP", "LINK",
                                                  "MAKE_GARBAGE"};
static const char *const function_names[] = {
    [OP_LINK] = "link",
    [OP_HOLD] = "hold",
    [OP_DROP] = "drop",
    [OP_TRACK] = "track",
    [OP_UNTRACK] = "untrack",
    [OP_WEAKREF] = "weakref",
    [OP_RESIZE] = "resize",
    [OP_IMMORTALISE] = "immortalise",
    [OP_FINALIZE] = "call_finalizer",
    [OP_RAISE] = "raise",
    [OP_MARK] = "mark_always",
    [OP_NUMBER] = "number_after",
    [OP_FEW] = "count_in_headers_from",
    [OP_COLLECT] = "collect",
    [OP_AUTOMATIC] = "automatic",
    [OP_FORK] = "fork",
    [OP_BUDGET] = "budget",
    [OP_CYCLE] = "cycle",
    [OP_FREEZE] = "freeze",
    [OP_EMPTY_GARBAGE] = "empty_garbage",
};

/* The C expression for the id of a thing. */
static void
print_thing(FILE *out, int name)
{
    if (name < 0) {
        fprintf(out, "-1");
    } else if (name >= MADE_BASE) {
        fprintf(out, "things[t%d].made", name - MADE_BASE);
    } else {
        fprintf(out, "t%d", name);
    }
}

static void
print_operation(FILE *out, const struct operation *operation)
{
    const int *args = operation->args;
    if (operation->code == OP_MAKE) {
        fprintf(out, "    int t%d = model_make(%s, %d, %s);\n    (void)t%d;\n",
                operation->name, kind_names[args[0]], args[1], action_names[args[2]],
                operation->name);
        return;
    }
    fprintf(out, "    model_%s(", function_names[operation->code]);
    if (operation->code >= OP_MARK) {
        if (operation->code != OP_EMPTY_GARBAGE) {
            fprintf(out, "%d", args[0]);
        }
    } else {
        print_thing(out, args[0]);
    }
    if (operation->code == OP_HOLD || operation->code == OP_DROP ||
        operation->code == OP_WEAKREF || operation->code == OP_RESIZE) {
        fprintf(out, ", %d", args[1]);
    } else if (operation->code == OP_LINK) {
        fprintf(out, ", %d, ", args[1]);
        print_thing(out, args[2]);
    }
    fprintf(out, ");\n");
}

/* The whole file; `why` is a line of comment. */
static void
print_program(FILE *out, const struct operation *operations, int count, const char *why)
{
    fprintf(out, "/* SPDX-License-Identifier: MIT */\n/* %s */\n", why);
    fprintf(out, "#include \"model.h\"\n\nTEST(a_program_that_failed)\n{\n");
    fprintf(out, "    model_start();\n");
    for (int i = 0; i < count; i++) {
        print_operation(out, &operations[i]);
    }
    fprintf(out, "    model_finish();\n}\n");
}

#endif
