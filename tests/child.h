/* child.h - for tests of what a process does once: environment variables,
   exit status, standard error. The suite starts itself again with the name of
   a case as its argument (a fork alone would not do: CUDA does not survive
   one). main() begins with

       if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));       */
#ifndef GPUARR_TEST_CHILD_H
#define GPUARR_TEST_CHILD_H

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct t_case {
    const char *name;
    int (*run)(void);               /* its result is the exit status        */
} t_case;

static GA__UNUSED int t_is_child(const char *name, const t_case *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(c[i].name, name)) return c[i].run();
    fprintf(stderr, "no case %s\n", name);
    return 99;
}

static char t_said[8192];           /* what the last child wrote, 1 and 2   */

/* Runs a case with "NAME=value" set in its environment, or "NAME" unset, for
   each setting up to NULL. Its exit status; 128 + n if signal n ended it.   */
static GA__UNUSED int t_child(const char *name, const char *const *settings) {
    int out[2], status = 0;
    size_t n = 0;
    char self[4096];                /* read here: a checker knows better    */
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0) return -1;
    self[len] = 0;
    t_said[0] = 0;
    if (pipe(out)) return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return -1;
    if (!pid) {
        for (; settings && *settings; settings++) {
            char var[64];
            const char *eq = strchr(*settings, '=');
            size_t k = eq ? (size_t)(eq - *settings) : strlen(*settings);
            if (k >= sizeof var) _exit(98);
            memcpy(var, *settings, k);
            var[k] = 0;
            if (eq) setenv(var, eq + 1, 1);
            else unsetenv(var);
        }
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        execl(self, self, name, (char *)NULL);
        _exit(97);
    }
    close(out[1]);
    for (;;) {
        ssize_t got = read(out[0], t_said + n, sizeof t_said - 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
        if (n == sizeof t_said - 1) break;
    }
    t_said[n] = 0;
    close(out[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#define T_CHILD(name, ...) \
    t_child(name, (const char *const[]){__VA_ARGS__, NULL})
#endif /* GPUARR_TEST_CHILD_H */
