/* SPDX-License-Identifier: MIT */
/* Processes for the test runner. Each job has its own process group, so that a test
 * which forks leaves nothing behind: the whole group is killed when the job has ended,
 * before its process is reaped and its number can be used again. */
#include "pool.h"
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
start_job(struct job *job, const sigset_t *signals)
{
    job->stdout_file = test_temporary_file();
    job->stderr_file = test_temporary_file();
    job->started = seconds_now();
    fflush(NULL);
    job->pid = fork();
    if (job->pid < 0) {
        perror("fork");
        exit(2);
    }
    if (job->pid == 0) {
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(job->stdout_file, STDOUT_FILENO);
        dup2(job->stderr_file, STDERR_FILENO);
        sigprocmask(SIG_UNBLOCK, signals, NULL);
        job->run(job);
        _exit(2);
    }
    /* Both processes do this, because either may run first. */
    setpgid(job->pid, job->pid);
}

/* If the job has ended, kill what is left of its group, and reap it. */
static bool
finish_job(struct job *job, bool wait)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) !=
            0 ||
        info.si_pid == 0) {
        return false;
    }
    kill(-job->pid, SIGKILL);
    waitpid(job->pid, &job->status, 0);
    job->pid = 0;
    job->seconds = seconds_now() - job->started;
    job->stdout_text = test_file_text(job->stdout_file);
    job->stderr_text = test_file_text(job->stderr_file);
    close(job->stdout_file);
    close(job->stderr_file);
    return true;
}

static void
forget_output(struct job *job)
{
    free(job->stdout_text);
    free(job->stderr_text);
    job->stdout_text = job->stderr_text = NULL;
}

static void
kill_jobs(struct job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].pid != 0) {
            kill(-jobs[i].pid, SIGKILL);
            finish_job(&jobs[i], true);
            forget_output(&jobs[i]);
        }
    }
}

bool
pool_run(struct job *jobs, size_t count, int width, bool stop_on_failure)
{
    size_t started = 0;
    int running = 0;
    bool stop = false;
    bool interrupted = false;
    sigset_t signals;

    /* The signals are blocked, so that they wait for sigtimedwait(). */
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    while (!stop && (started < count || running > 0)) {
        while (running < width && started < count) {
            start_job(&jobs[started++], &signals);
            running++;
        }
        /* Wake up at a child's end, and now and then for the timeouts. */
        struct timespec tick = {0, 50 * 1000 * 1000};
        int signal = sigtimedwait(&signals, NULL, &tick);
        if (signal == SIGINT || signal == SIGTERM) {
            stop = interrupted = true;
        }
        for (size_t i = 0; i < started && !stop; i++) {
            struct job *job = &jobs[i];
            if (job->pid == 0) {
                continue;
            }
            if (!job->timed_out && seconds_now() > job->started + job->timeout) {
                job->timed_out = true;
                kill(-job->pid, SIGKILL);
            }
            if (finish_job(job, false)) {
                running--;
                stop = !job->judge(job) && stop_on_failure;
                forget_output(job);
            }
        }
    }
    kill_jobs(jobs, started);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    return !interrupted;
}
