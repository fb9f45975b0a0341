/* Goal: a stream tells each change of a job that matters, the latest alone to a slow reader, and
 * its end; it sleeps between, and wakes once for each sleep. Method: jobs driven by hand, a
 * transport that counts; at last two threads. Oracle: the ids and states that follow. */
#include "service/jobs/job_stream.h"

#include "schema/clock.h"
#include "schema/document.h"
#include "service/call.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVENT_BYTES = 2048 };

static const double SILENCE_S = 15;

/* A reader that counts. */
struct reader {
    struct reply_stream *stream;
    atomic_bool abandoned;
    unsigned slept, woken;
    bool ended;
    char text[EVENT_BYTES]; /* of the last event, terminated */
};

static void on_sleep(void *transport)
{
    ((struct reader *)transport)->slept++;
}

static void on_wake(void *transport)
{
    ((struct reader *)transport)->woken++;
}

static void open_at(struct reader *reader, struct job *job, unsigned seen)
{
    *reader = (struct reader){0};
    reader->stream = job_stream_open(job, seen, &reader->abandoned);
    assert_non_null(reader->stream);
    reader->stream->sleep = on_sleep;
    reader->stream->wake = on_wake;
    reader->stream->transport = reader;
}

/* Reads until it sleeps or ends, `room` bytes at a time; whether something came. */
static bool read_by(struct reader *reader, size_t room)
{
    const unsigned slept = reader->slept;
    size_t bytes = 0, got;
    do {
        assert_true(bytes + room < sizeof(reader->text));
        got = reader->stream->read(reader->stream, reader->text + bytes, room, &reader->ended);
        bytes += got;
    } while (got > 0 && !reader->ended);
    assert_int_equal(reader->slept, slept + !reader->ended);
    reader->text[bytes] = '\0';
    return bytes > 0;
}

static bool read_on(struct reader *reader)
{
    return read_by(reader, EVENT_BYTES / 2);
}

/* That the last event is this one, of a job in this state. */
static void assert_event(const struct reader *reader, unsigned id, const char *event,
                         const char *state)
{
    char head[64];
    snprintf(head, sizeof(head), "id: %u\nevent: %s\ndata: ", id, event);
    assert_memory_equal(reader->text, head, strlen(head));
    const char *data = reader->text + strlen(head);
    const size_t bytes = strlen(data);
    assert_string_equal(data + bytes - 2, "\n\n");
    // one line: a client takes each line for a piece of its own
    assert_ptr_equal(strchr(data, '\n'), data + bytes - 2);
    struct document *document = document_parse(data, bytes, NULL, 0);
    assert_non_null(document);
    assert_string_equal(document_string(document_root(document), "/state", ""), state);
    document_destroy(document);
}

static void a_life(void **state)
{
    (void)state;
    struct jobs jobs;
    struct reader reader;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    open_at(&reader, job, 0);
    assert_true(read_on(&reader));
    assert_event(&reader, 1, "progress", "queued");
    assert_int_equal(reader.slept, 1);
    assert_int_equal(reader.woken, 0);

    jobs_start(&jobs, job);
    assert_int_equal(reader.woken, 1);
    assert_true(read_by(&reader, 1));
    assert_event(&reader, 2, "progress", "running");

    // the stage counts, progress within a per cent does not
    jobs_progress(job, "sample", 0.001);
    jobs_progress(job, "sample", 0.002);
    jobs_progress(job, "sample", 0.009);
    assert_int_equal(reader.woken, 2);
    assert_true(read_on(&reader));
    assert_event(&reader, 3, "progress", "running");
    assert_non_null(strstr(reader.text, "\"stage\":\"sample\""));

    // a reader who comes late is told the latest
    jobs_progress(job, "sample", 0.1);
    jobs_progress(job, "edges", 0.5);
    jobs_progress(job, "edges", 0.75);
    assert_int_equal(reader.woken, 3);
    assert_true(read_on(&reader));
    assert_event(&reader, 6, "progress", "running");
    assert_non_null(strstr(reader.text, "\"progress\":0.75"));

    jobs_finish(&jobs, job, JOB_SUCCEEDED, NULL);
    assert_null(job->streams);
    assert_true(read_on(&reader));
    assert_event(&reader, 7, "done", "succeeded");
    assert_true(reader.ended);
    reader.stream->close(reader.stream);
    jobs_deinit(&jobs);
}

static void other_ends(void **state)
{
    static const struct {
        enum job_state state;
        const char *event, *text;
    } CASES[] = {
        {JOB_SUCCEEDED, "done", "succeeded"},
        {JOB_FAILED, "error", "failed"},
        {JOB_CANCELLED, "error", "cancelled"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct jobs jobs;
        struct reader early, late;
        struct problem problem = {0};
        jobs_init(&jobs, 8, "t-");
        struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
        problem_add(&problem, PROBLEM_CANCELLED, "a \"reason\"\nin two lines");
        open_at(&early, job, 0);
        jobs_finish(&jobs, job, CASES[i].state,
                    CASES[i].state == JOB_SUCCEEDED ? NULL : &problem.faults[0]);
        open_at(&late, job, 0);
        struct reader *readers[] = {&early, &late};
        for (unsigned r = 0; r < 2; r++) {
            assert_true(read_on(readers[r]));
            assert_event(readers[r], 2, CASES[i].event, CASES[i].text);
            assert_true(readers[r]->ended);
            assert_int_equal(readers[r]->woken, 0);
            readers[r]->stream->close(readers[r]->stream);
        }
        jobs_deinit(&jobs);
    }
}

static void going_on_where_one_was_cut_off(void **state)
{
    static const struct {
        unsigned seen;
        bool told;
    } CASES[] = {{0, true}, {1, true}, {2, true}, {3, false}, {4, true}, {1000, true}};
    (void)state;
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    jobs_start(&jobs, job);
    jobs_progress(job, "sample", 0.5);
    assert_int_equal(job->event, 3);
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct reader reader;
        open_at(&reader, job, CASES[i].seen);
        assert_int_equal(read_on(&reader), CASES[i].told);
        if (CASES[i].told)
            assert_event(&reader, 3, "progress", "running");
        jobs_progress(job, i % 2 ? "even" : "odd", 0.5);
        assert_true(read_on(&reader));
        reader.stream->close(reader.stream);
        job->event = 3;
    }
    // those that are closed have left by the next change
    jobs_progress(job, "check", 0.6);
    assert_null(job->streams);
    jobs_deinit(&jobs);
}

static void events_are_few(void **state)
{
    (void)state;
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    jobs_start(&jobs, job);
    for (unsigned i = 0; i <= 100000; i++)
        jobs_progress(job, "sample", 1e-5 * i);
    assert_in_range(job->event, 100, 104);
    jobs_deinit(&jobs);
}

static void silence_and_absence(void **state)
{
    (void)state;
    struct jobs jobs;
    struct reader reader;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    const double begun = clock_steady();
    open_at(&reader, job, 0);
    assert_true(read_on(&reader));

    // a comment for each silence
    assert_true(job_streams_tick(&job->streams, begun + SILENCE_S - 1));
    assert_int_equal(reader.woken, 0);
    for (unsigned i = 1; i <= 3; i++) {
        assert_true(job_streams_tick(&job->streams, begun + i * (SILENCE_S + 1)));
        assert_int_equal(reader.woken, i);
        assert_true(read_on(&reader));
        assert_string_equal(reader.text, ": still there\n\n");
    }

    // a reader who is gone ends the stream
    atomic_store(&reader.abandoned, true);
    assert_false(job_streams_tick(&job->streams, begun));
    assert_int_equal(reader.woken, 4);
    assert_false(read_on(&reader));
    assert_true(reader.ended);
    jobs_start(&jobs, job);
    assert_int_equal(reader.woken, 4);
    reader.stream->close(reader.stream);

    // one that was closed leaves
    open_at(&reader, job, 0);
    reader.stream->close(reader.stream);
    assert_false(job_streams_tick(&job->streams, begun));
    assert_null(job->streams);
    jobs_deinit(&jobs);
}

/* ---- two threads ---- */

enum { CHANGES = 20000, READERS = 4 };

/* A transport that really sleeps. */
struct sleeper {
    struct reply_stream *stream;
    atomic_bool abandoned;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool asleep;
    unsigned last, events; /* the id seen last, and how many came */
    bool in_order, done;
};

static void fall_asleep(void *transport)
{
    struct sleeper *sleeper = transport;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->asleep = true;
    pthread_mutex_unlock(&sleeper->lock);
}

static void wake_up(void *transport)
{
    struct sleeper *sleeper = transport;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->asleep = false;
    pthread_cond_signal(&sleeper->woken);
    pthread_mutex_unlock(&sleeper->lock);
}

static void *follow(void *argument)
{
    struct sleeper *sleeper = argument;
    bool ended = false;
    while (!ended) {
        char text[EVENT_BYTES];
        const size_t got = sleeper->stream->read(sleeper->stream, text, sizeof(text) - 1, &ended);
        text[got] = '\0';
        if (got > 0) {
            const unsigned id = (unsigned)strtoul(text + strlen("id: "), NULL, 10);
            sleeper->in_order &= id > sleeper->last;
            sleeper->last = id;
            sleeper->events++;
            sleeper->done |= strstr(text, "event: done") != NULL;
        }
        pthread_mutex_lock(&sleeper->lock);
        while (sleeper->asleep)
            pthread_cond_wait(&sleeper->woken, &sleeper->lock);
        pthread_mutex_unlock(&sleeper->lock);
    }
    sleeper->stream->close(sleeper->stream);
    return NULL;
}

static void no_wake_is_lost(void **state)
{
    (void)state;
    static const char *const STAGES[] = {"one", "two"};
    struct sleeper sleepers[READERS];
    pthread_t threads[READERS];
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    for (unsigned i = 0; i < READERS; i++) {
        struct sleeper *sleeper = &sleepers[i];
        *sleeper = (struct sleeper){.in_order = true};
        sleeper->stream = job_stream_open(job, 0, &sleeper->abandoned);
        sleeper->stream->sleep = fall_asleep;
        sleeper->stream->wake = wake_up;
        sleeper->stream->transport = sleeper;
        pthread_mutex_init(&sleeper->lock, NULL);
        pthread_cond_init(&sleeper->woken, NULL);
        assert_int_equal(pthread_create(&threads[i], NULL, follow, sleeper), 0);
    }
    jobs_start(&jobs, job);
    for (unsigned i = 0; i < CHANGES; i++) {
        jobs_progress(job, STAGES[i % 2], 0);
        job_streams_tick(&job->streams, 0);
    }
    jobs_finish(&jobs, job, JOB_SUCCEEDED, NULL);
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(sleepers[i].done);
        assert_true(sleepers[i].in_order);
        assert_int_equal(sleepers[i].last, job->event);
        pthread_mutex_destroy(&sleepers[i].lock);
        pthread_cond_destroy(&sleepers[i].woken);
    }
    jobs_deinit(&jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_life),
        cmocka_unit_test(other_ends),
        cmocka_unit_test(going_on_where_one_was_cut_off),
        cmocka_unit_test(events_are_few),
        cmocka_unit_test(silence_and_absence),
        cmocka_unit_test(no_wake_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
