#include "server/config.h"

#include "server/access.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_kind {
    OPTION_TEXT,   /* char * */
    OPTION_NUMBER, /* uint64_t */
    OPTION_REAL,   /* double */
    OPTION_CHOICE, /* an enum: the place among `choices` */
    OPTION_SWITCH, /* bool; no value on the command line */
    OPTION_FILE,   /* the file of options itself */
    OPTION_ACTION, /* command line only, not part of the configuration */
};

/* One option. */
struct option_row {
    const char *name; /* limits bring theirs with dashes */
    enum option_kind kind;
    size_t offset;        /* into struct config */
    uint64_t least, most; /* of numbers */
    const char *initial;  /* the default as text; NULL: none, or not a constant */
    const char *choices;  /* "a|b", in the order of the enum */
    const char *value_name, *help;
};

enum {
    THREADS_MAX = 256,
    THREADS_USUAL = 8,
    TIMEOUT_MAX_S = 86400,
    TOKEN_RATE_MAX = 1000000,
    STEP_MAX_MS = 1000,
    BATCH_WAIT_MAX_US = 100000,
    NAME_BYTES = 64,
    BASE_PATH_BYTES = 128,
    LINE_BYTES = 4096,
};

#define AT(member) offsetof(struct config, member)
static const struct option_row rows[] = {
    {"listen", OPTION_TEXT, AT(listen), 0, 0, "127.0.0.1:7767", NULL, "ADDRESS:PORT",
     "where to listen; port 0 takes a free one, IPv6 is [::1]:7767"},
    {"port-file", OPTION_TEXT, AT(port_file), 0, 0, NULL, NULL, "FILE",
     "write the port there once the socket listens"},
    {"data-dir", OPTION_TEXT, AT(data_dir), 0, 0, NULL, NULL, "FOLDER",
     "data folder; default: prmd in XDG_STATE_HOME or ~/.local/state"},
    {"device", OPTION_TEXT, AT(device), 0, 0, NULL, NULL, "DEVICE",
     "cpu, gpu, PLATFORM:DEVICE or part of a name; default: the best"},
    {"tuning", OPTION_TEXT, AT(tuning), 0, 0, NULL, NULL, "LIST",
     "wg=N,... overrides the device's profile, for tests"},
    {"config", OPTION_FILE, 0, 0, 0, NULL, NULL, "FILE",
     "lines of `name = value` with the names of these options"},
    {"threads", OPTION_NUMBER, AT(threads), 1, THREADS_MAX, NULL, NULL, "N",
     "threads that move bytes; default: one a core, at most 8"},
    {"idle-timeout-s", OPTION_NUMBER, AT(idle_timeout_s), 1, TIMEOUT_MAX_S, "60", NULL, "N",
     "seconds after which a silent connection is closed"},
    {"receive-timeout-s", OPTION_NUMBER, AT(receive_timeout_s), 1, TIMEOUT_MAX_S, "20", NULL, "N",
     "seconds for a request's head, and for its body besides one for each 1000 bytes"},
    {"request-timeout-s", OPTION_NUMBER, AT(request_timeout_s), 0, TIMEOUT_MAX_S, "900", NULL, "N",
     "seconds after which work waiting for an answer is given up with 503; 0: never"},
    {"drain-timeout-s", OPTION_NUMBER, AT(drain_timeout_s), 0, TIMEOUT_MAX_S, "25", NULL, "N",
     "seconds to finish accepted work in after SIGTERM"},
    {"build-step-ms", OPTION_REAL, AT(build_step_ms), 0, STEP_MAX_MS, "2", NULL, "X",
     "length aimed at of a build's steps; plans go between them"},
    {"batch-queries", OPTION_NUMBER, AT(batch_queries), 1, LIMIT_COUNTS_MAX, "1024", NULL, "N",
     "queries of plan requests that run as one batch, at most"},
    {"batch-wait-us", OPTION_NUMBER, AT(batch_wait_us), 0, BATCH_WAIT_MAX_US, "200", NULL, "N",
     "microseconds that a plan waits for others that are arriving, at most"},
    {"log-format", OPTION_CHOICE, AT(log_format), 0, 0, "json", "json|text", "json|text",
     "format of the log on stderr"},
    {"log-level", OPTION_CHOICE, AT(log_level), 0, 0, "info", "debug|info|warning|error",
     "debug|info|warning|error", "the least that is logged; each request is info"},
    {"log-file", OPTION_TEXT, AT(log_file), 0, 0, NULL, NULL, "FILE",
     "log there, opened anew on SIGHUP; default: stderr"},
    {"token-file", OPTION_TEXT, AT(token_file), 0, 0, NULL, NULL, "FILE",
     "lines of `role sha256-of-token [comment]`, role read, plan or write; read anew on SIGHUP"},
    {"token-requests-per-s", OPTION_REAL, AT(token_requests_per_s), 0, TOKEN_RATE_MAX, NULL, NULL,
     "X", "requests a second of each token; default: no bound"},
    {"insecure", OPTION_SWITCH, AT(insecure), 0, 0, "false", NULL, NULL,
     "allow an address that is not loopback without tokens, although nothing guards it"},
    {"tls-cert", OPTION_TEXT, AT(tls_cert), 0, 0, NULL, NULL, "FILE",
     "serve HTTPS by this certificate chain (PEM), read anew on SIGHUP"},
    {"tls-key", OPTION_TEXT, AT(tls_key), 0, 0, NULL, NULL, "FILE",
     "its key (PEM, without a password)"},
    {"cors-origin", OPTION_TEXT, AT(cors_origin), 0, 0, NULL, NULL, "ORIGIN,...",
     "let pages of these origins ask, * of all; default: none"},
    {"base-path", OPTION_TEXT, AT(base_path), 0, 0, NULL, NULL, "/PREFIX",
     "prefix of every path and link"},
    {"metrics-listen", OPTION_TEXT, AT(metrics_listen), 0, 0, NULL, NULL, "ADDRESS:PORT",
     "serve /metrics and the probes there too, without tokens, TLS and prefix"},
#define LIMIT(member, flag, value, most, text)                                                     \
    {flag, OPTION_NUMBER, AT(limits.member), (value) == 0 ? 0 : 1, most, NULL, NULL, "N", text},
    LIMITS(LIMIT)
#undef LIMIT
        {"check", OPTION_ACTION, 0, 0, 0, NULL, NULL, NULL,
         "load everything, say that it works, exit"},
    {"version", OPTION_ACTION, 0, 0, 0, NULL, NULL, NULL, "print the version and exit"},
    {"help", OPTION_ACTION, 0, 0, 0, NULL, NULL, NULL, "print this and exit"},
};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* An option's value and where it was found. */
struct given {
    char *text;   /* owned; NULL: nowhere */
    bool is_file; /* by a line of the file, which a later line replaces */
    char source[NAME_BYTES + 16];
};

static const char *row_name(const struct option_row *row)
{
    return row->name + strspn(row->name, "-");
}

static bool is_bytes(const struct option_row *row)
{
    const char *name = row_name(row), *dash = strrchr(name, '-');
    return dash != NULL && strcmp(dash, "-bytes") == 0;
}

/* PRMD_PORT_FILE of port-file. */
static void environment_name(char out[NAME_BYTES], const struct option_row *row)
{
    snprintf(out, NAME_BYTES, "PRMD_%s", row_name(row));
    for (char *c = out; *c != '\0'; c++)
        *c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
}

/* Keeps a copy of a value; a later call for the same option replaces it. */
static bool keep(struct given *given, const char *text, const char *source)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    free(given->text);
    given->text = copy;
    snprintf(given->source, sizeof(given->source), "%s", source);
    return true;
}

/* ---- sources, the strongest first ---- */

/* The command line. An action ends the reading. */
static enum config_outcome read_arguments(struct given given[ROW_COUNT], int argc, char *argv[],
                                          char *fault)
{
    static const struct {
        const char *name;
        enum config_outcome outcome;
    } actions[] = {{"check", CONFIG_CHECK}, {"version", CONFIG_VERSION}, {"help", CONFIG_HELP}};
    struct option options[ROW_COUNT + 1] = {{0}};
    enum config_outcome outcome = CONFIG_RUN;
    for (int i = 0; i < ROW_COUNT; i++) {
        const bool is_bare = rows[i].kind == OPTION_SWITCH || rows[i].kind == OPTION_ACTION;
        options[i].name = row_name(&rows[i]);
        options[i].has_arg = is_bare ? no_argument : required_argument;
    }

    // ':' first tells a missing value from an unknown option; 0 starts glibc's scan afresh
    int index = -1, code;
    optind = 0;
    opterr = 0;
    while ((code = getopt_long(argc, argv, ":", options, &index)) != -1) {
        if (code == ':' || code == '?') {
            snprintf(fault, CONFIG_FAULT_MAX, "%s: %s (see --help)", argv[optind - 1],
                     code == ':' ? "a value must follow" : "this option is not supported");
            return CONFIG_WRONG;
        }
        for (size_t a = 0; a < sizeof(actions) / sizeof(actions[0]); a++)
            if (strcmp(options[index].name, actions[a].name) == 0)
                outcome = actions[a].outcome;
        if (rows[index].kind != OPTION_ACTION &&
            !keep(&given[index], optarg != NULL ? optarg : "true", "the command line"))
            return CONFIG_WRONG;
        if (outcome == CONFIG_HELP || outcome == CONFIG_VERSION)
            return outcome;
    }
    if (optind < argc) {
        snprintf(fault, CONFIG_FAULT_MAX, "%s: not an option (see --help)", argv[optind]);
        return CONFIG_WRONG;
    }
    return outcome;
}

static bool read_environment(struct given given[ROW_COUNT])
{
    for (int i = 0; i < ROW_COUNT; i++) {
        char name[NAME_BYTES];
        environment_name(name, &rows[i]);
        const char *value = getenv(name);
        if (value != NULL && given[i].text == NULL && rows[i].kind != OPTION_ACTION &&
            !keep(&given[i], value, name))
            return false;
    }
    return true;
}

/* Cuts the blanks off both ends, in place. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

/* One line of the file; false: `fault` is set. */
static bool read_line(struct given given[ROW_COUNT], char *line, const char *source, char *fault)
{
    char *name = trim(line), *equals = strchr(name, '=');
    if (*name == '\0' || *name == '#')
        return true;
    if (equals == NULL) {
        snprintf(fault, CONFIG_FAULT_MAX, "%s: not `name = value`: %.80s", source, name);
        return false;
    }
    *equals = '\0';
    name = trim(name);
    for (int i = 0; i < ROW_COUNT; i++) {
        if (rows[i].kind == OPTION_ACTION || rows[i].kind == OPTION_FILE ||
            strcmp(name, row_name(&rows[i])) != 0)
            continue;
        // a line replaces an earlier one, but nothing stronger
        if (given[i].text != NULL && !given[i].is_file)
            return true;
        given[i].is_file = true;
        return keep(&given[i], trim(equals + 1), source);
    }
    snprintf(fault, CONFIG_FAULT_MAX, "%s: no option can be set here by the name %.80s", source,
             name);
    return false;
}

static bool read_file(struct given given[ROW_COUNT], const char *path, char *fault)
{
    char line[LINE_BYTES], source[32];
    bool fine = true, is_whole = true;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(fault, CONFIG_FAULT_MAX, "--config: %s: %s", path, strerror(errno));
        return false;
    }
    for (unsigned number = 1; fine && fgets(line, sizeof(line), file) != NULL; number++) {
        snprintf(source, sizeof(source), "line %u", number);
        is_whole = strchr(line, '\n') != NULL || feof(file);
        if (!is_whole)
            snprintf(fault, CONFIG_FAULT_MAX, "%s: longer than %d bytes, or with a byte of zero",
                     source, LINE_BYTES - 2);
        fine = is_whole && read_line(given, line, source, fault);
    }
    // a file that ends early may have lost what guards the daemon; no line of it sets `path`
    if (fine && ferror(file)) {
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
        snprintf(fault, CONFIG_FAULT_MAX, "--config: %s: %s", path, strerror(errno));
        fine = false;
    }
    fclose(file);
    return fine;
}

/* ---- values ---- */

/* A whole number; bytes may end in K, M or G, powers of 1024. */
static bool parse_number(const struct option_row *row, const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    if (*end != '\0' && is_bytes(row)) {
        static const char suffixes[] = "KMG";
        const char *suffix = strchr(suffixes, toupper((unsigned char)*end));
        for (const char *s = suffixes; suffix != NULL && s <= suffix && *value <= LIMIT_BYTES_MAX;
             s++)
            *value <<= 10;
        end += suffix != NULL;
    }
    return *end == '\0' && *value >= row->least && *value <= row->most;
}

/* The place of `text` in "a|b|c", or -1. */
static int parse_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    int place = 0;
    for (const char *choice = choices; choice != NULL; place++) {
        if (strcspn(choice, "|") == length && strncmp(choice, text, length) == 0)
            return place;
        choice = strchr(choice, '|');
        if (choice != NULL)
            choice++;
    }
    return -1;
}

/* Puts a value into its member; false: `fault` says what it may be, or as before, of memory. */
static bool set_value(struct config *config, const struct option_row *row,
                      const struct given *given, char *fault)
{
    char *member = (char *)config + row->offset, *end;
    char wanted[NAME_BYTES * 2];
    bool fine = true;
    switch (row->kind) {
    case OPTION_TEXT:
        snprintf(wanted, sizeof(wanted), "a text that is not empty");
        fine = *given->text != '\0';
        free(*(char **)member);
        *(char **)member = strdup(given->text);
        if (*(char **)member == NULL)
            return false;
        break;
    case OPTION_NUMBER:
        snprintf(wanted, sizeof(wanted), "a whole number from %llu to %llu",
                 (unsigned long long)row->least, (unsigned long long)row->most);
        fine = parse_number(row, given->text, (uint64_t *)member);
        break;
    case OPTION_REAL:
        snprintf(wanted, sizeof(wanted), "a number above %llu, at most %llu",
                 (unsigned long long)row->least, (unsigned long long)row->most);
        *(double *)member = strtod(given->text, &end);
        fine = end != given->text && *end == '\0' && *(double *)member > (double)row->least &&
               *(double *)member <= (double)row->most;
        break;
    case OPTION_CHOICE:
        snprintf(wanted, sizeof(wanted), "one of %s", row->choices);
        fine = parse_choice(row->choices, given->text) >= 0;
        // enums of the table are all of int's size
        *(int *)member = parse_choice(row->choices, given->text);
        break;
    case OPTION_SWITCH:
        snprintf(wanted, sizeof(wanted), "true or false");
        fine = strcmp(given->text, "true") == 0 || strcmp(given->text, "false") == 0;
        *(bool *)member = strcmp(given->text, "true") == 0;
        break;
    case OPTION_FILE:
    case OPTION_ACTION:
        break;
    }
    if (!fine)
        snprintf(fault, CONFIG_FAULT_MAX, "--%s: '%.80s' from %s is not valid: it must be %s",
                 row_name(row), given->text, given->source, wanted);
    return fine;
}

static_assert(sizeof(enum log_format) == sizeof(int) && sizeof(enum log_level) == sizeof(int),
              "set_value stores a choice as an int");

/* XDG_STATE_HOME/prmd, else ~/.local/state/prmd; NULL: neither is known. */
static char *data_dir_default(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool has_state = state != NULL && *state == '/';
    if (!has_state && (home == NULL || *home == '\0'))
        return NULL;
    const char *base = has_state ? state : home, *rest = has_state ? "/prmd" : "/.local/state/prmd";
    const size_t bytes = strlen(base) + strlen(rest) + 1;
    char *folder = malloc(bytes);
    if (folder != NULL)
        snprintf(folder, bytes, "%s%s", base, rest);
    return folder;
}

/* What does not stand in the table as text. */
static void set_defaults(struct config *config)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    config->threads = cores < 1 ? 1 : cores > THREADS_USUAL ? THREADS_USUAL : (uint64_t)cores;
    config->limits = limits_default();
}

/* Whether the values fit each other. */
static bool check_together(const struct config *config, char *fault)
{
    if ((config->tls_cert == NULL) != (config->tls_key == NULL)) {
        snprintf(fault, CONFIG_FAULT_MAX, "--tls-cert and --tls-key go together");
        return false;
    }
    if (config->base_path != NULL && (!access_base_path_valid(config->base_path) ||
                                      strlen(config->base_path) > BASE_PATH_BYTES)) {
        snprintf(fault, CONFIG_FAULT_MAX,
                 "--base-path: '%.80s' must begin with / and not end so, of at most %d letters, "
                 "digits and ._~-",
                 config->base_path, BASE_PATH_BYTES);
        return false;
    }
    return true;
}

/* All values over the defaults. */
static bool set_values(struct config *config, struct given given[ROW_COUNT], char *fault)
{
    set_defaults(config);
    for (int i = 0; i < ROW_COUNT; i++) {
        if (given[i].text == NULL && rows[i].initial != NULL &&
            !keep(&given[i], rows[i].initial, "the default"))
            return false;
        if (given[i].text != NULL && !set_value(config, &rows[i], &given[i], fault))
            return false;
    }
    if (config->data_dir == NULL)
        config->data_dir = data_dir_default();
    if (config->data_dir == NULL)
        snprintf(fault, CONFIG_FAULT_MAX, "--data-dir: no folder is known: HOME is not set");
    return config->data_dir != NULL && check_together(config, fault);
}

enum config_outcome config_read(struct config *config, int argc, char *argv[],
                                char fault[CONFIG_FAULT_MAX])
{
    struct given given[ROW_COUNT] = {{0}};
    *config = (struct config){0};
    snprintf(fault, CONFIG_FAULT_MAX, "out of memory");

    enum config_outcome outcome = read_arguments(given, argc, argv, fault);
    if (outcome == CONFIG_RUN || outcome == CONFIG_CHECK) {
        bool fine = read_environment(given);
        for (int i = 0; fine && i < ROW_COUNT; i++)
            if (rows[i].kind == OPTION_FILE && given[i].text != NULL)
                fine = read_file(given, given[i].text, fault);
        if (!fine || !set_values(config, given, fault))
            outcome = CONFIG_WRONG;
    }
    for (int i = 0; i < ROW_COUNT; i++)
        free(given[i].text);
    return outcome;
}

void config_deinit(struct config *config)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == OPTION_TEXT)
            free(*(char **)((char *)config + rows[i].offset));
    *config = (struct config){0};
}

void config_print_help(FILE *out)
{
    const struct limits limits = limits_default();
    fprintf(out, "usage: prmd [OPTION…]\n\n"
                 "Motion planning as a service. Each option can also be set in the environment, "
                 "--port-file as\n"
                 "PRMD_PORT_FILE, or in the file of --config; the command line comes first, the "
                 "file last.\n\n");
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        char head[NAME_BYTES * 2];
        snprintf(head, sizeof(head), "--%s %s", row_name(row),
                 row->value_name ? row->value_name : "");
        fprintf(out, "  %-38s %s", head, row->help);
        if (row->initial != NULL && row->kind != OPTION_SWITCH)
            fprintf(out, " (%s)", row->initial);
        else if (strncmp(row->name, "--", 2) == 0)
            fprintf(out, " (%llu)",
                    (unsigned long long)*(const uint64_t *)((const char *)&limits + row->offset -
                                                            AT(limits)));
        fputc('\n', out);
    }
}
