/* The libFuzzer program: PRM_FUZZ names the target, PRM_FUZZ_SECONDS the processor time after which
 * it ends as told (0: never), so that a busy machine does not make runs shorter. */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const struct fuzz_target *target;

/* libFuzzer takes this signal as "end, and tell your figures". */
static void end_after(long seconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    const struct itimerspec when = {.it_value.tv_sec = seconds};
    timer_t timer;
    fuzz_must(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0);
    fuzz_must(timer_settime(timer, 0, &when, NULL) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *name = getenv("PRM_FUZZ"), *seconds = getenv("PRM_FUZZ_SECONDS");
    target = name != NULL ? fuzz_find(name) : NULL;
    if (target == NULL) {
        fprintf(stderr, "PRM_FUZZ must name a target:\n");
        for (size_t i = 0; i < fuzz_target_count; i++)
            fprintf(stderr, "  %-12s %s\n", fuzz_targets[i].name, fuzz_targets[i].what);
        exit(2);
    }
    if (seconds != NULL && atol(seconds) > 0)
        end_after(atol(seconds));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    // no bytes may come as no pointer, which no caller of ours gives
    fuzz_run(target, data != NULL ? (const char *)data : "", bytes);
    return 0;
}
