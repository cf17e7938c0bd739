/* SPDX-License-Identifier: MIT */
/* C strings and numbers as text. */
#include "../harness.h"

#include <stdbool.h>

TEST(classes_and_cases_of_characters_are_those_of_ascii)
{
    for (int c = 0; c < 256; c++) {
        bool ascii = c < 128;
        EXPECT_EQ(!!Py_ISALPHA(c), ascii && isalpha(c));
        EXPECT_EQ(!!Py_ISDIGIT(c), ascii && isdigit(c));
        EXPECT_EQ(!!Py_ISALNUM(c), ascii && isalnum(c));
        EXPECT_EQ(!!Py_ISXDIGIT(c), ascii && isxdigit(c));
        EXPECT_EQ(!!Py_ISSPACE(c), ascii && isspace(c));
        EXPECT_EQ(!!Py_ISLOWER(c), ascii && islower(c));
        EXPECT_EQ(!!Py_ISUPPER(c), ascii && isupper(c));
        EXPECT_EQ(Py_TOLOWER(c), ascii ? tolower(c) : c);
        EXPECT_EQ(Py_TOUPPER(c), ascii ? toupper(c) : c);
    }
}

static int
format_list(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = PyOS_vsnprintf(text, size, format, args);
    va_end(args);
    return length;
}

TEST(formatted_text_always_ends)
{
    char small[4] = "xxx";
    EXPECT_EQ(PyOS_snprintf(small, sizeof small, "%d%s", 12, "345"), 5);
    EXPECT_STR(small, "123");
    EXPECT_EQ(format_list(small, sizeof small, "%c", 'a'), 1);
    EXPECT_STR(small, "a");
}

TEST(comparing_ignores_case)
{
    EXPECT_EQ(PyOS_stricmp("SpAm", "sPaM"), 0);
    EXPECT_LT(PyOS_mystricmp("spa", "SPAM"), 0);
    EXPECT_GT(PyOS_mystricmp("spb", "SPAM"), 0);
    EXPECT_EQ(PyOS_strnicmp("spam", "SPAN", 3), 0);
    EXPECT_LT(PyOS_mystrnicmp("spam", "SPAN", 4), 0);
    EXPECT_EQ(PyOS_mystrnicmp("a", "A", 100), 0);
}

TEST(numbers_are_read_in_any_base)
{
    char *end;
    EXPECT_EQ(PyOS_strtoul("  123x", &end, 10), 123);
    EXPECT_STR(end, "x");
    EXPECT_EQ(PyOS_strtoul("0x1F", NULL, 0), 31);
    EXPECT_EQ(PyOS_strtoul("0o17", NULL, 0), 15);
    EXPECT_EQ(PyOS_strtoul("0b101", NULL, 0), 5);
    EXPECT_EQ(PyOS_strtoul("0x1F", NULL, 16), 31);
    EXPECT_EQ(PyOS_strtoul("z", NULL, 36), 35);
    EXPECT_EQ(PyOS_strtol("-42", NULL, 10), -42);
    EXPECT_EQ(PyOS_strtol(" +42", NULL, 10), 42);
    EXPECT_EQ(PyOS_strtol("-9223372036854775808", NULL, 10), LONG_MIN);
    errno = 0;
    EXPECT_EQ(PyOS_strtol("9223372036854775808", NULL, 10), LONG_MAX);
    EXPECT_EQ(errno, ERANGE);
    errno = 0;
    EXPECT(PyOS_strtoul("18446744073709551616", NULL, 10) == ULONG_MAX);
    EXPECT_EQ(errno, ERANGE);
}
