/* SPDX-License-Identifier: MIT */
/* repr() of str. */
#include "../protocol.h"

TEST_PY(quotes_and_controls_are_escaped)
{
    struct {
        const char *source, *repr;
    } cases[] = {{"it's", "\"it's\""},
                 {"say \"hi\"", "'say \"hi\"'"},
                 {"'\"", "'\\'\"'"},
                 {"a\\b", "'a\\\\b'"},
                 {"\n\r\t\x01\x7f", "'\\n\\r\\t\\x01\\x7f'"},
                 {"\xC3\xA9\xE2\x82\xAC", "'\xC3\xA9\xE2\x82\xAC'"},
                 {"\xC2\xA0\xE2\x80\xA8", "'\\xa0\\u2028'"},
                 {"\xF4\x8F\xBF\xBF", "'\\U0010ffff'"}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_REPR_OF(text(cases[i].source), cases[i].repr);
    }
}
