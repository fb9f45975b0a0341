/* Hexadecimal digits, of escapes in paths and of hashes. Threads: any; no state. */
#ifndef SERVER_HEX_H
#define SERVER_HEX_H

/* 0 … 15; -1: no digit. */
static inline int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

#endif
