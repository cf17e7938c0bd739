/* SPDX-License-Identifier: MIT */
/* The source lines of addresses, for reports. addr2line finds them, in one process for each
 * file. Lines of this library say nothing about the user's mistake; the folder in which this
 * file was compiled identifies them. Where addr2line or debug information is missing, site.c
 * prints what the loader knows. */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { ADDRESS_LENGTH = 24, ANSWER_LENGTH = 500, OPTIONS = 5 };

/* The folder src/ that this library was compiled in, or "" as long as it is not known. */
static char our_folder[ANSWER_LENGTH];

/* ---- asking ------------------------------------------------------------------------------------ */

FILE *
ouro_tool_start(char *const *arguments, pid_t *child)
{
    static bool is_missing; /* both tools are part of binutils */
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (is_missing || pipe(ends) != 0) {
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    is_missing =
        posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ) != 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = is_missing ? NULL : fdopen(ends[0], "r");
    if (output == NULL) {
        close(ends[0]);
    }
    return output;
}

static bool
is_of_library(const char *place)
{
    return (our_folder[0] != '\0' &&
            strncmp(place, our_folder, strlen(our_folder)) == 0) ||
           strstr(place, "/ouroboros/py/") != NULL;
}

/* One answer: a function and its place. For inlined functions the innermost comes first; the
 * first one outside the library counts. */
static void
take_answer(struct line *line, char *function, char *place)
{
    place[strcspn(place, " \n")] = '\0'; /* a discriminator may follow */
    function[strcspn(function, "\n")] = '\0';
    if (strncmp(place, "??", 2) == 0 || (line->is_known && !line->is_left_out)) {
        return;
    }
    line->is_known = true;
    line->is_left_out = is_of_library(place);
    snprintf(line->text, sizeof(line->text), "%s (%s)", place, function);
}

/* Answers begin with the address, in the order of the questions; `lines` in the same order. */
static void
read_answers(FILE *output, struct line **lines, int count)
{
    char text[ANSWER_LENGTH], place[ANSWER_LENGTH];
    int at = -1;
    while (fgets(text, sizeof(text), output) != NULL) {
        if (strncmp(text, "0x", 2) == 0) {
            at++;
        } else if (fgets(place, sizeof(place), output) != NULL && at >= 0 && at < count) {
            take_answer(lines[at], text, place);
        }
    }
}

/* Ask about addresses in one file. A return address lies after its call. */
static void
ask(const Dl_info *module, void *const *addresses, struct line **lines, int count)
{
    static char texts[OURO_SITE_DEPTH][ADDRESS_LENGTH];
    char *arguments[OPTIONS + OURO_SITE_DEPTH] = {"addr2line", "-afi", "-e",
                                                  (char *)(uintptr_t)module->dli_fname};
    pid_t child;
    for (int i = 0; i < count; i++) {
        snprintf(texts[i], sizeof(texts[i]), "%#tx",
                 (char *)addresses[i] - /* analyzer: the caller has set `count` of them */
                     (char *)module->dli_fbase - 1);
        arguments[OPTIONS - 1 + i] = texts[i];
    }
    FILE *output = ouro_tool_start(arguments, &child);
    if (output != NULL) {
        read_answers(output, lines, count);
        fclose(output);
        (void)waitpid(child, NULL, 0);
    }
}

/* ---- which of them are ours ---------------------------------------------------------------------- */

static void
find_our_folder(const Dl_info *self)
{
    static bool is_asked;
    struct line line = {"", false, false}, *lines = &line;
    void *address = (char *)(uintptr_t)&ouro_lines_find + 1;
    if (is_asked) {
        return;
    }
    is_asked = true;
    ask(self, &address, &lines, 1);
    char *end = strstr(line.text, "check/lines.c");
    if (end != NULL && (size_t)(end - line.text) < sizeof(our_folder)) {
        memcpy(our_folder, line.text, (size_t)(end - line.text));
    }
}

/* A shared library can be recognised without debug information. That libc called main is not
 * worth a line. */
static bool
is_file_left_out(const Dl_info *module, const Dl_info *self)
{
    const char *slash = strrchr(module->dli_fname, '/');
    const char *name = slash == NULL ? module->dli_fname : slash + 1;
    return (module->dli_fbase == self->dli_fbase &&
            strncmp(name, "libouroboros", 12) == 0) ||
           strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0;
}

/* The file of each frame; that of a frame without need for an answer has no base. */
static void
find_modules(void *const *frames, int count, struct line *lines, Dl_info *modules)
{
    Dl_info self = {0};
    if (dladdr((void *)(uintptr_t)&ouro_lines_find, &self) != 0) {
        find_our_folder(&self);
    }
    for (int i = 0; i < count; i++) {
        lines[i] = (struct line){"", false, false};
        bool is_found = dladdr(frames[i], &modules[i]) != 0;
        lines[i].is_left_out = is_found && is_file_left_out(&modules[i], &self);
        if (!is_found || lines[i].is_left_out) {
            modules[i].dli_fbase = NULL;
        }
    }
}

/* Files below the current folder need no absolute name. */
static void
shorten(struct line *line)
{
    char folder[ANSWER_LENGTH];
    size_t here = getcwd(folder, sizeof(folder)) != NULL ? strlen(folder) : 0;
    if (here > 1 && strncmp(line->text, folder, here) == 0 && line->text[here] == '/') {
        memmove(line->text, line->text + here + 1, strlen(line->text + here));
    }
}

void
ouro_lines_find(void *const *frames, int count, struct line *lines)
{
    Dl_info modules[OURO_SITE_DEPTH];
    find_modules(frames, count, lines, modules);
    for (int i = 0; i < count; i++) {
        void *addresses[OURO_SITE_DEPTH];
        struct line *wanted[OURO_SITE_DEPTH];
        const Dl_info module = modules[i];
        int found = 0;
        for (int j = i; module.dli_fbase != NULL && j < count; j++) {
            if (modules[j].dli_fbase == module.dli_fbase) {
                addresses[found] = frames[j];
                wanted[found++] = &lines[j];
                modules[j].dli_fbase = NULL;
            }
        }
        if (found > 0) {
            ask(&module, addresses, wanted, found);
        }
        shorten(&lines[i]);
    }
}
