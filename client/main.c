/* prm: the command line client of prmd. */
#include "client/commands.h"

#include <stdlib.h>

#ifndef PRM_VERSION
#error "PRM_VERSION is the project's version"
#endif

int main(int argc, char **argv)
{
    // the command line
    struct session session = {.out = stdout, .err = stderr};
    struct arguments arguments;
    char fault[256];
    if (!arguments_parse(&arguments, argc, argv, fault, sizeof fault))
        return session_usage(&session, "%s", fault);
    if (arguments_option(&arguments, "version")) {
        printf("prm %s\n", PRM_VERSION);
        return EXIT_SOLVED;
    }

    // the command
    const struct command *command = command_find(&arguments);
    if (!command && (arguments.word_count == 0 || arguments_option(&arguments, "help"))) {
        bool asked = arguments_option(&arguments, "help");
        commands_help(asked ? stdout : stderr);
        return asked ? EXIT_SOLVED : EXIT_USAGE;
    }
    if (!command)
        return session_usage(&session, "there is no command \"%s\"; see prm --help",
                             arguments.words[0]);
    if (arguments_option(&arguments, "help")) {
        command_help(command, stdout);
        return EXIT_SOLVED;
    }
    if (!command_accepts(command, &arguments, fault, sizeof fault))
        return session_usage(&session, "%s", fault);

    // the server
    struct client_options options = {.server = arguments_option(&arguments, "server")};
    const char *timeout = arguments_option(&arguments, "timeout");
    if (timeout && !arguments_number("timeout", timeout, &options.timeout_s, fault, sizeof fault))
        return session_usage(&session, "%s", fault);
    session.json = arguments_option(&arguments, "json");
    session.client = client_create(&options);
    if (!session.client)
        return session_usage(&session,
                             "the server's URL is too long, or the token cannot stand in a header");

    enum exit_code code = command->run(&session, &arguments);
    client_destroy(session.client);
    return fflush(stdout) == 0 ? (int)code : EXIT_SERVER;
}
