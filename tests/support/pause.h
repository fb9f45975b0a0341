/* Waiting in tests that poll: what they wait for, and for how long at most, is theirs to say. */
#ifndef TESTS_SUPPORT_PAUSE_H
#define TESTS_SUPPORT_PAUSE_H

void test_pause_ms(long milliseconds);

#endif
