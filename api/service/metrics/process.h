/* What the operating system says about this process. */
#ifndef SERVICE_PROCESS_H
#define SERVICE_PROCESS_H

struct process_figures {
    double cpu_s, resident_bytes, virtual_bytes;
    double open_files, files_max;
    double started; /* calendar, seconds since 1970 */
};

/* Figures that cannot be had are 0. */
struct process_figures process_look(void);

#endif
