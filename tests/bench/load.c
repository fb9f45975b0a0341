/* Benchmark: many clients that plan. `./dev bench load` starts a server and calls it.
 *
 *   bench_load [OPTION…] FOLDER ADDRESS:PORT PATH
 *
 * FOLDER holds request.json, whose queries are sent in turn to PATH (a roadmap's plan), one a
 * request or as many as --each says, as .npy with --arrays; paths are simplified where the file or
 * --simplify says so. Prints answers a second, percentiles of
 * the latency, and what the process of --pid had of memory and open files before and after.
 */
#include "bench.h"
#include "load_client.h"
#include "problem.h"
#include "schema/npy.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: bench_load [--connections N] [--requests N] [--seconds S] [--rate R] [--close]\n"
    "                  [--each N] [--arrays] [--simplify] [--pid PID] [--title T]\n"
    "                  FOLDER ADDRESS:PORT PATH\n";

/* What a process holds. */
struct process {
    double resident_mib;
    unsigned files;
    double cpu_s; /* that it has used, all threads */
};

static struct process process_look(const char *pid)
{
    struct process process = {0};
    char path[64], line[256];
    unsigned long kib;
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %lu", &kib) == 1)
            process.resident_mib = (double)kib / 1024;
    if (status)
        fclose(status);
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *stat = fopen(path, "r");
    unsigned long user, system;
    if (stat && fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                       &user, &system) == 2)
        process.cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    if (stat)
        fclose(stat);
    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        process.files++;
    if (folder)
        closedir(folder);
    return process;
}

/* Appends queries first … first + count - 1 (modulo all) as a plan request. */
static void write_body(struct text *out, const struct problem_files *files, size_t first,
                       unsigned count)
{
    const double *numbers = files->request.numbers;
    text_json_open(out, '{');
    text_json_key(out, "queries");
    text_json_open(out, '[');
    for (unsigned i = 0; i < count; i++) {
        const struct plan_query *query =
            &files->request.queries[(first + i) % files->request.query_count];
        text_json_open(out, '{');
        text_json_numbers(out, "start", numbers + query->start, files->dof);
        text_json_numbers(out, "goal", numbers + query->goals, files->dof);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    text_member_bool(out, "simplify", files->request.simplify);
    text_json_close(out, '}');
}

/* Appends the same as an .npy file of float32. */
static void write_array(struct text *out, const struct problem_files *files, size_t first,
                        unsigned count)
{
    const size_t shape[] = {count, 2, files->dof};
    const struct npy_array array = npy_array(NPY_FLOAT32, 3, shape, NULL);
    npy_write_header(&array, out);
    for (unsigned i = 0; i < count; i++) {
        const struct plan_query *query =
            &files->request.queries[(first + i) % files->request.query_count];
        for (uint32_t c = 0; c < 2 * files->dof; c++) {
            const size_t at = c < files->dof ? query->start + c : query->goals + c - files->dof;
            const float number = (float)files->request.numbers[at];
            text_append(out, (const char *)&number, sizeof number);
        }
    }
}

/* All queries as requests of `each`; the texts of what is returned live as long as the program. */
static struct load_request *make_requests(const struct problem_files *files, const char *host,
                                          const char *path, unsigned each, bool arrays, bool close)
{
    const size_t count = arrays ? 1 : files->request.query_count;
    const char *type = arrays ? "x-npy\r\nAccept: application/x-npz" : "json";
    struct load_request *requests = bench_memory(count * sizeof *requests);
    for (size_t i = 0; i < count; i++) {
        struct text body = {0}, whole = {0};
        if (arrays)
            write_array(&body, files, i * each, each);
        else
            write_body(&body, files, i * each, each);
        text_print(&whole,
                   "POST %s%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/%s\r\n"
                   "Content-Length: %zu\r\n%s\r\n",
                   path, arrays && !files->request.simplify ? "?simplify=false" : "", host, type,
                   body.length, close ? "Connection: close\r\n" : "");
        text_append(&whole, body.data, body.length);
        text_deinit(&body);
        if (whole.failed)
            bench_memory(SIZE_MAX);
        requests[i] = (struct load_request){whole.data, whole.length};
    }
    return requests;
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The share of latencies[count], ascending, that is not above the result. */
static double percentile(const float *latencies, size_t count, double share)
{
    const size_t at = (size_t)ceil(share * (double)count);
    return count > 0 ? (double)latencies[at > 0 ? at - 1 : 0] : NAN;
}

/* true: every request was answered, and by 200. */
static bool report(const char *title, struct load_outcome *outcome)
{
    float *latencies = outcome->latencies_ms;
    uint64_t others = outcome->broken;
    if (outcome->count > 0)
        qsort(latencies, outcome->count, sizeof *latencies, compare);
    printf("%s: %zu answers in %.2f s, %.0f a second, p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, "
           "longest %.2f ms, %.1f MB",
           title, outcome->count, outcome->seconds, (double)outcome->count / outcome->seconds,
           percentile(latencies, outcome->count, 0.5), percentile(latencies, outcome->count, 0.99),
           percentile(latencies, outcome->count, 0.999), percentile(latencies, outcome->count, 1),
           1e-6 * (double)outcome->bytes);
    for (int status = 0; status < LOAD_STATUS_MAX; status++) {
        if (status == 200 || outcome->statuses[status] == 0)
            continue;
        printf(", status %d: %llu", status, (unsigned long long)outcome->statuses[status]);
        others += outcome->statuses[status];
    }
    if (outcome->unsolved > 0)
        printf(", not all solved: %llu", (unsigned long long)outcome->unsolved);
    if (outcome->broken > 0)
        printf(", broken off: %llu", (unsigned long long)outcome->broken);
    putchar('\n');
    return others == 0 && outcome->count > 0;
}

/* ADDRESS:PORT of IPv4. */
static bool parse_server(struct sockaddr_in *server, const char *text)
{
    char address[64];
    const char *colon = strrchr(text, ':');
    *server = (struct sockaddr_in){.sin_family = AF_INET};
    if (!colon || (size_t)(colon - text) >= sizeof address)
        return false;
    snprintf(address, sizeof address, "%.*s", (int)(colon - text), text);
    server->sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    return inet_pton(AF_INET, address, &server->sin_addr) == 1;
}

/* What the command line says. */
struct arguments {
    struct load_options options; /* without the requests */
    const char *folder, *address, *path, *pid, *title;
    unsigned each;
    bool arrays, simplify;
};

/* One option; false: it is none. */
static bool take_option(struct arguments *arguments, int code, const char *value)
{
    switch (code) {
    case 'c':
        arguments->options.connections = (unsigned)strtoul(value, NULL, 10);
        return true;
    case 'n':
        arguments->options.total = strtoull(value, NULL, 10);
        return true;
    case 's':
        arguments->options.seconds = strtod(value, NULL);
        return true;
    case 'r':
        arguments->options.rate = strtod(value, NULL);
        return true;
    case 'x':
        arguments->options.close = true;
        return true;
    case 'a':
        arguments->arrays = true;
        return true;
    case 'S':
        arguments->simplify = true;
        return true;
    case 'e':
        arguments->each = (unsigned)strtoul(value, NULL, 10);
        return true;
    case 'p':
        arguments->pid = value;
        return true;
    case 't':
        arguments->title = value;
        return true;
    default:
        return false;
    }
}

static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    static const struct option rows[] = {{"connections", required_argument, NULL, 'c'},
                                         {"requests", required_argument, NULL, 'n'},
                                         {"seconds", required_argument, NULL, 's'},
                                         {"rate", required_argument, NULL, 'r'},
                                         {"close", no_argument, NULL, 'x'},
                                         {"each", required_argument, NULL, 'e'},
                                         {"pid", required_argument, NULL, 'p'},
                                         {"title", required_argument, NULL, 't'},
                                         {"arrays", no_argument, NULL, 'a'},
                                         {"simplify", no_argument, NULL, 'S'},
                                         {NULL, 0, NULL, 0}};
    struct load_options *options = &arguments->options;
    *arguments = (struct arguments){.options.connections = 64, .title = "load", .each = 1};
    bool good = true;
    for (int code; (code = getopt_long(argc, argv, "", rows, NULL)) != -1;)
        good = take_option(arguments, code, optarg) && good;
    if (options->total == 0 && options->seconds <= 0)
        options->seconds = 5;
    if (!good || argc - optind != 3 || options->connections < 1 || arguments->each < 1)
        return false;
    arguments->folder = argv[optind];
    arguments->address = argv[optind + 1];
    arguments->path = argv[optind + 2];
    return parse_server(&options->server, arguments->address);
}

/* How fast the engine was by its own account, and what the server's process, if it is known, used
 * since `before`. */
static void report_server(const struct arguments *arguments, const struct load_outcome *outcome,
                          const struct process *before)
{
    const double count = (double)outcome->count;
    if (outcome->server_ms > 0)
        printf("%s: %.0f queries a second, the engine's own rate %.0f\n", arguments->title,
               count * arguments->each / outcome->seconds,
               1e3 * count * arguments->each / outcome->server_ms);
    if (!arguments->pid)
        return;
    const struct process after = process_look(arguments->pid);
    printf("%s: server's memory %.1f -> %.1f MiB, open files %u -> %u, processor per answer "
           "%.0f us, the clients' %.0f us\n",
           arguments->title, before->resident_mib, after.resident_mib, before->files, after.files,
           1e6 * (after.cpu_s - before->cpu_s) / count,
           1e6 * (double)clock() / CLOCKS_PER_SEC / count);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!read_arguments(&arguments, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }

    struct problem_files files;
    struct load_options *options = &arguments.options;
    if (!problem_files_read(&files, arguments.folder))
        return 2;
    files.request.simplify |= arguments.simplify;
    options->request_count = arguments.arrays ? 1 : files.request.query_count;
    options->requests = make_requests(&files, arguments.address, arguments.path, arguments.each,
                                      arguments.arrays, options->close);
    problem_files_deinit(&files);

    struct load_outcome outcome;
    const struct process before = arguments.pid ? process_look(arguments.pid) : (struct process){0};
    bool good = load_run(&outcome, options);
    good = report(arguments.title, &outcome) && good;
    report_server(&arguments, &outcome, &before);
    load_outcome_deinit(&outcome);
    return good ? 0 : 1;
}
