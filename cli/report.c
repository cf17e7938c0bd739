/* SPDX-License-Identifier: MIT */
/* What `ouro check` prints: for people, with colours on a terminal, or as JSON. */
#include "cli.h"

#include <ouro_check.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- for people ---------------------------------------------------------------------------- */

static const char *
colour(const char *code)
{
    return isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL ? code : "";
}

static const char *
certainty_word(int certainty)
{
    return certainty == OURO_CHECK_CERTAIN     ? ""
           : certainty == OURO_CHECK_SUSPICION ? " [suspicion]"
                                               : " [note]";
}

static void
print_finding(const struct finding *finding)
{
    printf("%s%s%s %s: %s%s", colour("\033[31m"), finding->code, colour("\033[0m"),
           finding->type, finding->text, certainty_word(finding->certainty));
    if (finding->count > 1) {
        printf(" (%d times)", finding->count);
    }
    putchar('\n');
    if (finding->field != NULL) {
        printf("    %s\n", finding->field);
    }
    if (finding->site[0] != '\0') {
        printf("    allocated at %s\n", finding->site);
    }
    if (strcmp(finding->code, "GC-T01") == 0) {
        printf("    borrowed on purpose? --borrowed %s:%ld\n", finding->type,
               finding->offset);
    }
    for (const char *line = finding->trace; line != NULL && *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        printf("    in %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

static void
print_subjects(const struct result *result)
{
    for (size_t i = 0; i < result->subject_count; i++) {
        const struct subject *subject = &result->subjects[i];
        if (subject->skipped != NULL) {
            printf("not checked: %s: %s\n", subject->name, subject->skipped);
        }
    }
}

static size_t
count_checked(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->subject_count; i++) {
        count += result->subjects[i].is_checked;
    }
    return count;
}

static size_t
count_notes(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->finding_count; i++) {
        count += result->findings[i].certainty == OURO_CHECK_NOTE;
    }
    return count;
}

static void
print_for_people(const struct result *result)
{
    const struct options *options = result->options;
    for (size_t i = 0; i < result->finding_count; i++) {
        print_finding(&result->findings[i]);
    }
    print_subjects(result);
    if (result->stubs != NULL) {
        printf(
            "not here, so stubs stand in: %s (--preload FILE.so loads a real one, --stub "
            "NAME:attribute,... says what it has)\n",
            result->stubs);
    }
    if (result->error != NULL) {
        printf("ouro: %s could not be checked: %s\n", options->module, result->error);
        return;
    }
    if (result->subject_count == 0) {
        printf("the module made no type of its own ready\n");
    }
    printf("%s: ", options->module);
    if (options->script != NULL) {
        printf("script %s", options->script);
    } else {
        size_t checked = count_checked(result);
        printf("%zu type%s checked", checked, checked == 1 ? "" : "s");
    }
    size_t notes = count_notes(result), findings = result->finding_count - notes;
    printf(", %zu finding%s", findings, findings == 1 ? "" : "s");
    printf(notes == 0 ? "\n" : ", %zu note%s\n", notes, notes == 1 ? "" : "s");
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void
print_string(const char *text)
{
    if (text == NULL) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char character = (unsigned char)*at;
        if (character == '"' || character == '\\') {
            printf("\\%c", character);
        } else if (character < 0x20) {
            printf("\\u%04x", character);
        } else {
            putchar(character);
        }
    }
    putchar('"');
}

static void
print_member(const char *name, const char *value)
{
    printf("\"%s\": ", name);
    print_string(value);
}

static void
print_json_finding(const struct finding *finding)
{
    static const char *const words[] = {[OURO_CHECK_NOTE] = "note",
                                        [OURO_CHECK_SUSPICION] = "suspicion",
                                        [OURO_CHECK_CERTAIN] = "certain"};
    putchar('{');
    print_member("code", finding->code);
    fputs(", ", stdout);
    print_member("certainty", words[finding->certainty]);
    fputs(", ", stdout);
    print_member("type", finding->type);
    printf(", \"offset\": ");
    finding->offset < 0 ? (void)fputs("null", stdout)
                        : (void)printf("%ld", finding->offset);
    fputs(", ", stdout);
    print_member("field", finding->field);
    fputs(", ", stdout);
    print_member("allocated", finding->site[0] == '\0' ? NULL : finding->site);
    fputs(", ", stdout);
    print_member("trace", finding->trace);
    printf(", \"count\": %d, ", finding->count);
    print_member("text", finding->text);
    putchar('}');
}

static void
print_json_subject(const struct subject *subject)
{
    const char *state = subject->is_checked        ? "checked"
                        : subject->skipped != NULL ? "not checked"
                                                   : "not called";
    putchar('{');
    print_member("name", subject->name);
    printf(", \"container\": %s, ", subject->is_container ? "true" : "false");
    print_member("state", state);
    fputs(", ", stdout);
    print_member("why", subject->skipped);
    putchar('}');
}

static void
print_json(const struct result *result)
{
    printf("{");
    print_member("module", result->options->module);
    fputs(",\n ", stdout);
    print_member("error", result->error);
    fputs(",\n ", stdout);
    print_member("stubs", result->stubs);
    printf(",\n \"types\": [");
    for (size_t i = 0; i < result->subject_count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", stdout);
        print_json_subject(&result->subjects[i]);
    }
    printf("],\n \"findings\": [");
    for (size_t i = 0; i < result->finding_count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", stdout);
        print_json_finding(&result->findings[i]);
    }
    printf("]}\n");
}

void
print_result(const struct result *result)
{
    if (result->options->is_json) {
        print_json(result);
    } else {
        print_for_people(result);
    }
}
