/* Goal: numbers are written shortest and read back as the same double, whatever the locale.
 * Method: random doubles of all sizes, those of few decimals, neighbours of powers of two and ten.
 * Oracle: strtod and printf of the C library. */
#include "schema/decimal.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_COUNT = 30000 };

static const char *written(double value, int digits)
{
    static char text[DECIMAL_BYTES_MAX + 1];
    size_t length = decimal_write(text, value, digits);
    assert_true(length < DECIMAL_BYTES_MAX);
    text[length] = '\0';
    return text;
}

static void check(double value)
{
    // exactly
    const char *text = written(value, DECIMAL_DIGITS_EXACT);
    double back = strtod(text, NULL);
    if (back != value || signbit(back) != signbit(value))
        fail_msg("%.17g is written %s", value, text);

    // rounded: within half a unit of the last digit, as the library's own is
    for (int digits = 6; digits < DECIMAL_DIGITS_EXACT; digits += 5) {
        char library[DECIMAL_BYTES_MAX];
        snprintf(library, sizeof library, "%.*g", digits, value);
        double theirs = fabs(strtod(library, NULL) - value);
        double ours = fabs(strtod(written(value, digits), NULL) - value);
        if (!(ours <= theirs * (1 + 1e-9) + fabs(value) * 4e-16))
            fail_msg("%.17g to %d digits is %s", value, digits, written(value, digits));
    }
}

static void known_texts(void **state)
{
    (void)state;
    const struct {
        double value;
        int digits;
        const char *text;
    } rows[] = {
        {0, 17, "0"},
        {-0.0, 17, "-0.0"},
        {1, 17, "1"},
        {-12, 17, "-12"},
        {0.1, 17, "0.1"},
        {0.5, 17, "0.5"},
        {-0.25, 17, "-0.25"},
        {1e-5, 17, "0.00001"},
        {1e300, 17, "1e+300"},
        {5e-324, 17, "4.94065645841247e-324"},
        {123456789.125, 17, "123456789.125"},
        {9007199254740993.0, 17, "9007199254740992"},
        {1.0 / 3, 10, "0.3333333333"},
        {2.0 / 3, 10, "0.6666666667"},
        {999999.99999, 6, "1000000"},
        {12.5, 10, "12.5"},
        {4000000.0001, 16, "4000000.0001"},
        {2000000000000000.5, 15, "2e+15"},
        {2000000000000000.5, 16, "2000000000000001"},
        {0.000001, 17, "0.000001"},
        {0.000012345678912, 10, "0.00001234567891"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(written(rows[i].value, rows[i].digits), rows[i].text);
}

static void whole_numbers(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 9, 10, 99, 100, 4294967296u, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[DECIMAL_BYTES_MAX], expected[DECIMAL_BYTES_MAX];
        size_t length = decimal_write_u64(text, values[i]);
        int wanted = snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
        assert_int_equal(length, wanted);
        assert_memory_equal(text, expected, length);
    }
}

static void edges_of_powers(void **state)
{
    (void)state;
    for (int exponent = -1074; exponent < 1024; exponent++) {
        double power = ldexp(1, exponent);
        check(power);
        check(nextafter(power, 0));
        check(nextafter(power, HUGE_VAL));
    }
    double product = 1e-300;
    for (int exponent = -300; exponent < 300; exponent++, product *= 10) {
        check(product);
        check(nextafter(product, 0));
        check(nextafter(product, HUGE_VAL));
    }
    // as read from text, which 1e-300 * 10^n is not
    for (int exponent = -12; exponent < 20; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        double power = strtod(text, NULL);
        check(power);
        check(nextafter(power, 0));
        check(-power);
    }
}

static void random_numbers(void **state)
{
    (void)state;
    struct test_random random = {7};
    for (int i = 0; i < RANDOM_COUNT; i++) {
        uint64_t bits = test_random_u64(&random);
        double unit = (double)(bits >> 11) * 0x1p-53, any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            check(any);
        check(unit);
        check((unit - 0.5) * 1e3);
        check(4e6 + (float)(unit * 1e3));
        check((double)(bits % 2000000) / 1000);
    }
}

/* Texts and what is read of them; the value is the compiler's. */
static const struct {
    const char *text;
    size_t bytes;
    double value;
} read_rows[] = {
    {"", 0, 0},
    {"x", 0, 0},
    {"-", 0, 0},
    {".", 0, 0},
    {"-.e5", 0, 0},
    {"nan", 0, 0},
    {"0", 1, 0},
    {"-0.5", 4, -0.5},
    {"+7", 2, 7},
    {".25", 3, 0.25},
    {"3.", 2, 3},
    {"1e0", 3, 1},
    {"1e", 1, 1},
    {"1e+", 1, 1},
    {"1.5e-3x", 6, 1.5e-3},
    {"1,5", 1, 1},
    {"0x10", 1, 0},
    {"9007199254740993", 16, 9007199254740993.0},
    {"0.1000000000000000055511151231257827", 36, 0.1},
    {"123456789012345678901234567890", 30, 123456789012345678901234567890.0},
    {"2.2250738585072011e-308", 23, 2.2250738585072011e-308},
    {"1e22", 4, 1e22},
    {"1e23", 4, 1e23},
    {"1e99999999999999999999", 22, HUGE_VAL},
    {"-1e-99999999999999999999", 24, -0.0},
    {"0e999999999", 11, 0},
    {"0.0000000000000000000000000", 27, 0},
    {"-0.00000000000000000000000", 26, -0.0},
    // ties between two doubles, and the least above and below
    {"9007199254740995", 16, 9007199254740996.0},
    {"9007199254740993.001", 20, 9007199254740994.0},
    {"9007199254740994.999", 20, 9007199254740994.0},
    {"4503599627370497.5", 18, 4503599627370498.0},
    {"4503599627370496.5", 18, 4503599627370496.0},
    {"1.00000000000000011102", 22, 1},
    {"18446744073709551615", 20, 18446744073709551616.0},
    {"1844674407370955160e27", 22, 1844674407370955160e27},
    {"1844674407370955160e-27", 23, 1844674407370955160e-27},
    {"1e-27", 5, 1e-27},
    {"9007199254740993e27", 19, 9007199254740993e27},
    {"9007199254740993e-28", 20, 9007199254740993e-28},
};

/* Equal to the bit, the sign of zero too. */
static bool same(double a, double b)
{
    return a == b && signbit(a) == signbit(b);
}

static void numbers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_rows / sizeof *read_rows; i++) {
        double value = 0;
        const size_t bytes = decimal_read(&value, read_rows[i].text, strlen(read_rows[i].text));
        if (bytes != read_rows[i].bytes || !same(value, read_rows[i].value))
            fail_msg("\"%s\": %zu bytes, %.17g", read_rows[i].text, bytes, value);
    }
}

static void numbers_written_are_read(void **state)
{
    (void)state;
    struct test_random random = {11};
    for (int i = 0; i < RANDOM_COUNT; i++) {
        uint64_t bits = test_random_u64(&random);
        double any, value = 0;
        char text[64];
        memcpy(&any, &bits, sizeof any);
        if (!isfinite(any))
            continue;
        const int digits = 1 + (int)(bits % 20);
        const int length = snprintf(text, sizeof text, "%.*g", digits, any);
        const double expected = strtod(text, NULL);
        assert_int_equal(decimal_read(&value, text, (size_t)length), length);
        if (!same(value, expected))
            fail_msg("\"%s\": %.17g", text, value);
    }

    // too many digits to copy
    char *zeros = malloc(DECIMAL_READ_BYTES_MAX + 2);
    double value;
    memset(zeros, '1', DECIMAL_READ_BYTES_MAX + 2);
    assert_int_equal(decimal_read(&value, zeros, DECIMAL_READ_BYTES_MAX + 1), 0);
    memset(zeros, '0', DECIMAL_READ_BYTES_MAX + 2);
    assert_int_equal(decimal_read(&value, zeros, DECIMAL_READ_BYTES_MAX + 2),
                     DECIMAL_READ_BYTES_MAX + 2);
    free(zeros);
}

static void numbers_of_moderate_size_are_read(void **state)
{
    (void)state;
    struct test_random random = {13};
    for (int i = 0; i < 3 * RANDOM_COUNT; i++) {
        char text[64];
        double value = 0;
        const uint64_t bits = test_random_u64(&random);
        // up to 19 digits at any place, so that strtod's rounding is asked near its ties too
        const uint64_t digits = test_random_u64(&random) >> (bits % 48);
        const int length = snprintf(text, sizeof text, "%s%llue%d", bits & 1 ? "-" : "",
                                    (unsigned long long)digits, (int)(bits >> 32) % 30);
        assert_int_equal(decimal_read(&value, text, (size_t)length), length);
        if (!same(value, strtod(text, NULL)))
            fail_msg("\"%s\": %.17g", text, value);
    }
}

/* Sets LC_ALL to a locale with a decimal comma, where the machine has one. */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    setlocale(LC_ALL, "C");
    return false;
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    assert_string_equal(written(0.5, 17), "0.5");
    assert_string_equal(written(1.25e300, 17), "1.25e+300");
    assert_string_equal(written(1.0 / 3, 10), "0.3333333333");
    double value = 0;
    assert_int_equal(decimal_read(&value, "0.5,1", 5), 3);
    assert_true(value == 0.5);
    assert_int_equal(decimal_read(&value, "0.12345678901234567890", 22), 22);
    assert_true(value == 0.12345678901234567890);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(edges_of_powers),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(numbers_written_are_read),
        cmocka_unit_test(numbers_of_moderate_size_are_read),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
