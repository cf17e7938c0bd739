/* SPDX-License-Identifier: MIT */
/* The test runner: picks tests, runs them through pool.c, judges and counts them.
 * Its last line is the result, "N passed, N failed", and ", N skipped" if there are any. */
#include "harness.h"
#include "pool.h"
#include "sites.h"

#include "../src/base/config.h"

#include <dirent.h>
#include <getopt.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TEST_SECONDS = 60,
    SCRIPT_SECONDS = 600,
    OUTPUT_SHOWN = 20000, /* bytes of a failed test's output */
    MAX_FOLDERS = 64,
};

enum result { PASSED, FAILED, SKIPPED };

static struct {
    int jobs;
    bool list;
    bool verbose;
    bool stop_on_failure;
    bool samples;
    bool here;
    const char *scripts;
    char **filters;
    int filter_count;
} options;

static struct folder {
    char name[64];
    int count[3]; /* by enum result */
} folders[MAX_FOLDERS];

static int totals[3];

/* Not in main(): LeakSanitizer must find them in every test's process, too. */
static struct job *jobs;
static size_t job_count;

/* ---- names ------------------------------------------------------------------------- */

/* The folder of "tests/heap/test_page.c" is "heap". */
static void
folder_name(const char *file, char *name, size_t size)
{
    const char *end = strrchr(file, '/');
    const char *start = end;

    while (start != NULL && start > file && start[-1] != '/') {
        start--;
    }
    snprintf(name, size, "%.*s", end != NULL ? (int)(end - start) : 1,
             end != NULL ? start : ".");
}

/* A test's full name is "heap/page.the_claim"; filters look for their text in it. */
static void
full_name(const struct test *test, char *name, size_t size)
{
    char folder[64];
    const char *base = strrchr(test->file, '/');

    folder_name(test->file, folder, sizeof(folder));
    base = base != NULL ? base + 1 : test->file;
    base += strncmp(base, "test_", 5) == 0 ? 5 : 0;
    snprintf(name, size, "%s/%.*s.%s", folder, (int)strcspn(base, "."), base,
             test->label);
}

/* ---- counting ------------------------------------------------------------------------ */

static struct folder *
find_folder(const char *name)
{
    struct folder *folder = folders;

    while (folder < &folders[MAX_FOLDERS - 1] && folder->name[0] != '\0' &&
           strcmp(folder->name, name) != 0) {
        folder++;
    }
    snprintf(folder->name, sizeof(folder->name), "%s", name);
    return folder;
}

static void
count_result(const char *folder, enum result result)
{
    find_folder(folder)->count[result]++;
    totals[result]++;
}

static void
print_counts(const int *count)
{
    printf("%d passed, %d failed", count[PASSED], count[FAILED]);
    if (count[SKIPPED] > 0) {
        printf(", %d skipped", count[SKIPPED]);
    }
    printf("\n");
}

static void
print_summary(void)
{
    for (struct folder *folder = folders; folder->name[0] != '\0'; folder++) {
        printf("  %-12s ", folder->name);
        print_counts(folder->count);
    }
    print_counts(totals);
}

/* ---- judging a test --------------------------------------------------------------------- */

static void
print_indented(const char *text)
{
    size_t shown = 0;

    while (text[shown] != '\0' && shown < OUTPUT_SHOWN) {
        size_t length = strcspn(text + shown, "\n");
        printf("    %.*s\n", (int)length, text + shown);
        shown += length + (text[shown + length] == '\n');
    }
    if (text[shown] != '\0') {
        printf("    ... and %zu bytes more\n", strlen(text + shown));
    }
}

/* Why the test failed, in words, or NULL. */
static const char *
reason_of_failure(const struct job *job, const struct test *test,
                  struct test_verdict *verdict)
{
    static char reason[160];

    if (job->timed_out) {
        snprintf(reason, sizeof(reason), "still running after %.0f s", job->timeout);
    } else if (WIFSIGNALED(job->status) && WTERMSIG(job->status) != test->signal) {
        snprintf(reason, sizeof(reason), "died of signal %d (%s)", WTERMSIG(job->status),
                 strsignal(WTERMSIG(job->status)));
    } else if (atomic_load(&verdict->failures) > 0) {
        snprintf(reason, sizeof(reason), "%d expectation(s) not met",
                 atomic_load(&verdict->failures));
    } else if (WIFEXITED(job->status) && WEXITSTATUS(job->status) != 0) {
        snprintf(
            reason, sizeof(reason), "ended with status %d %s", WEXITSTATUS(job->status),
            atomic_load(&verdict->finished) ? "after its body: a leak?" : "in its body");
    } else if (atomic_load(&verdict->skipped)) {
        return NULL;
    } else if (test->signal != 0 && !WIFSIGNALED(job->status)) {
        snprintf(reason, sizeof(reason), "did not die of signal %d", test->signal);
    } else if (test->signal == 0 && !atomic_load(&verdict->finished)) {
        snprintf(reason, sizeof(reason), "called exit()");
    } else if (test->stderr_has != NULL &&
               strstr(job->stderr_text, test->stderr_has) == NULL) {
        snprintf(reason, sizeof(reason), "did not write \"%.80s\"", test->stderr_has);
    } else {
        return NULL;
    }
    return reason;
}

static bool
judge_test(struct job *job)
{
    const struct test *test = job->subject;
    struct test_verdict *verdict = job->extra;
    const char *reason = reason_of_failure(job, test, verdict);
    char name[256];
    char folder[64];

    full_name(test, name, sizeof(name));
    folder_name(test->file, folder, sizeof(folder));
    if (reason != NULL) {
        printf("FAIL %s: %s\n    %s:%d:\n", name, reason, test->file, test->line);
        print_indented(job->stderr_text);
        print_indented(job->stdout_text);
        count_result(folder, FAILED);
    } else if (atomic_load(&verdict->skipped)) {
        printf("skip %s: %s\n", name, verdict->why_skipped);
        count_result(folder, SKIPPED);
    } else {
        if (options.verbose) {
            printf("ok   %s (%.0f ms)\n", name, job->seconds * 1e3);
        }
        count_result(folder, PASSED);
    }
    fflush(stdout);
    return reason == NULL;
}

static void
run_test_job(struct job *job)
{
    test_run(job->subject, job->extra);
}

/* ---- scripts ------------------------------------------------------------------------------ */

/* A script prints a line "ok name", "FAIL name" or "skip name: why" for each thing that it tests.
 * Each such line counts as one test. Other lines may stand between them. A line "summary text" is
 * shown and does not count. A script that prints no such line, or that ends with another status
 * than 0 without a FAIL, has failed as a whole. */

static void
run_script_job(struct job *job)
{
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execl(job->subject, job->subject, (char *)NULL);
    perror(job->subject);
    _exit(127);
}

static bool
result_in_line(const char *line, enum result *result)
{
    static const char *const words[] = {
        [PASSED] = "ok ", [FAILED] = "FAIL ", [SKIPPED] = "skip "};

    for (int i = PASSED; i <= SKIPPED; i++) {
        if (strncmp(line, words[i], strlen(words[i])) == 0) {
            *result = (enum result)i;
            return true;
        }
    }
    return false;
}

static bool
judge_script(struct job *job)
{
    int count[3] = {0};
    char *rest = job->stdout_text;
    char *whole = strdup(job->stdout_text);
    enum result result;

    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (result_in_line(line, &result)) {
            count[result]++;
            count_result("scripts", result);
            if (result != PASSED || options.verbose) {
                printf("%s\n", line);
            }
        } else if (strncmp(line, "summary ", 8) == 0) {
            printf("%s\n", line + 8);
        }
    }
    if (count[FAILED] == 0 && (job->status != 0 || count[PASSED] + count[SKIPPED] == 0)) {
        printf("FAIL %s: %s\n", (const char *)job->subject,
               job->timed_out ? "still running" : "ended badly, or tested nothing");
        count[FAILED]++;
        count_result("scripts", FAILED);
    }
    if (count[FAILED] > 0) {
        print_indented(whole);
    }
    free(whole);
    fflush(stdout);
    return count[FAILED] == 0;
}

static int
is_script(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 3 && strcmp(entry->d_name + length - 3, ".sh") == 0;
}

/* ---- picking and running -------------------------------------------------------------------- */

static bool
is_wanted(const struct test *test)
{
    char name[256];

    full_name(test, name, sizeof(name));
    for (int i = 0; i < options.filter_count; i++) {
        if (strstr(name, options.filters[i]) != NULL) {
            return test->sample == options.samples;
        }
    }
    return options.filter_count == 0 && test->sample == options.samples;
}

/* 1, or more in builds that are slower. OURO_TEST_TIMEOUT multiplies it. */
static double
timeout_factor(void)
{
    const char *wish = getenv("OURO_TEST_TIMEOUT");
    bool is_slow = UNDER_ASAN || UNDER_TSAN || under_valgrind() || OURO_PARANOID ||
                   getenv("OURO_STRESS") != NULL;
    double factor = is_slow ? 5 : 1;

    return wish != NULL && atof(wish) > 0 ? factor * atof(wish) : factor;
}

static int
compare_jobs(const void *left, const void *right)
{
    const struct test *a = ((const struct job *)left)->subject;
    const struct test *b = ((const struct job *)right)->subject;
    int by_file = strcmp(a->file, b->file);

    return by_file != 0 ? by_file : (a->line > b->line) - (a->line < b->line);
}

static void
add_tests(void)
{
    size_t tests = 0;
    struct job *first;
    struct test_verdict *verdict;

    for (struct test *test = test_first(); test != NULL; test = test->next) {
        tests += is_wanted(test);
    }
    jobs = realloc(jobs, (job_count + tests + 1) * sizeof(*jobs));
    verdict = mmap(NULL, (tests + 1) * sizeof(*verdict), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (jobs == NULL || verdict == MAP_FAILED) {
        perror("tests");
        exit(2);
    }
    first = &jobs[job_count];
    for (struct test *test = test_first(); test != NULL; test = test->next) {
        if (is_wanted(test)) {
            int seconds = test->timeout > 0 ? test->timeout : TEST_SECONDS;
            jobs[job_count++] = (struct job){.run = run_test_job,
                                             .judge = judge_test,
                                             .subject = test,
                                             .extra = verdict++,
                                             .timeout = seconds * timeout_factor()};
        }
    }
    qsort(first, tests, sizeof(*first), compare_jobs);
}

/* Scripts come first in the queue: they build programs, and take longest. */
static void
add_scripts(void)
{
    struct dirent **entries = NULL;
    int found = scandir(options.scripts, &entries, is_script, alphasort);

    jobs = calloc((size_t)(found > 0 ? found : 0) + 1, sizeof(*jobs));
    for (int i = 0; i < found; i++) {
        char *path = NULL;
        if (jobs == NULL ||
            asprintf(&path, "%s/%s", options.scripts, entries[i]->d_name) < 0) {
            exit(2);
        }
        jobs[job_count++] = (struct job){.run = run_script_job,
                                         .judge = judge_script,
                                         .subject = path,
                                         .timeout = SCRIPT_SECONDS * timeout_factor()};
        free(entries[i]);
    }
    free(entries);
}

static int
list_tests(void)
{
    char name[256];

    for (size_t i = 0; i < job_count; i++) {
        if (jobs[i].judge == judge_test) {
            full_name(jobs[i].subject, name, sizeof(name));
            printf("%s\n", name);
        } else {
            printf("%s\n", (const char *)jobs[i].subject);
        }
    }
    return 0;
}

static void
print_help(void)
{
    printf("usage: tests [options] [text ...]\n"
           "Run the tests whose full name, like heap/page.the_claim, holds one of the\n"
           "texts; all of them without a text.\n"
           "  --list         list them instead\n"
           "  --jobs N       run N at once (the number of processors)\n"
           "  --verbose      name the tests that pass, too\n"
           "  -x             stop at the first failure\n"
           "  --here         run the one test in this process, for a debugger\n"
           "  --scripts DIR  run the scripts DIR/*.sh as well\n"
           "  --samples      run the samples that test the harness itself instead\n"
           "OURO_TEST_TIMEOUT=n in the environment gives everything n times as long.\n");
}

static void
read_options(int argc, char **argv)
{
    static const struct option names[] = {
        {"list", no_argument, NULL, 'l'},    {"jobs", required_argument, NULL, 'j'},
        {"verbose", no_argument, NULL, 'v'}, {"scripts", required_argument, NULL, 's'},
        {"here", no_argument, NULL, 'h'},    {"samples", no_argument, NULL, 'S'},
        {"help", no_argument, NULL, '?'},    {NULL, 0, NULL, 0},
    };
    cpu_set_t processors;
    int option;

    options.jobs = sched_getaffinity(0, sizeof(processors), &processors) == 0
                       ? CPU_COUNT(&processors)
                       : 1;
    while ((option = getopt_long(argc, argv, "xj:v", names, NULL)) != -1) {
        switch (option) {
        case 'l':
            options.list = true;
            break;
        case 'j':
            options.jobs = atoi(optarg) > 0 ? atoi(optarg) : 1;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 's':
            options.scripts = optarg;
            break;
        case 'h':
            options.here = true;
            break;
        case 'S':
            options.samples = true;
            break;
        case 'x':
            options.stop_on_failure = true;
            break;
        default:
            print_help();
            exit(optopt != 0 ? 2 : 0);
        }
    }
    options.filters = argv + optind;
    options.filter_count = argc - optind;
}

int
main(int argc, char **argv)
{
    bool complete;

    read_options(argc, argv);
    if (options.scripts != NULL) {
        add_scripts();
    }
    add_tests();
    if (options.list) {
        return list_tests();
    }
    if (job_count == 0) {
        printf("no test has such a name\n");
        return 2;
    }
    if (getenv("OURO_FAULT_SITES") != NULL) {
        test_fail_each_site(getenv("OURO_FAULT_SITES"));
    }
    if (options.here) {
        jobs[job_count - 1].run(&jobs[job_count - 1]);
    }
    complete = pool_run(jobs, job_count, options.jobs, options.stop_on_failure);
    print_summary();
    if (!complete) {
        fprintf(stderr, "interrupted\n");
    }
    return complete && totals[FAILED] == 0 ? 0 : 1;
}
