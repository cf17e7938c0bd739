/* SPDX-License-Identifier: MIT */
/* The library refuses code that was compiled with other headers. */
#include "../protocol.h"

PyABIInfo_VAR(own_info);

TEST_PY(code_compiled_with_these_headers_is_fine)
{
    EXPECT_EQ(PyABIInfo_Check(&own_info, "spam"), 0);
    EXPECT_EQ(_PyABI_CheckTag(OURO_ABI_TAG, NULL), 0);
    PyABIInfo unchecked = {0};
    EXPECT_EQ(PyABIInfo_Check(&unchecked, NULL), 0);
}

static void
expect_refused(uint32_t tag, const char *headers)
{
    char message[400];
    PyABIInfo info = own_info;
    info.abi_version = tag;
    EXPECT_EQ(PyABIInfo_Check(&info, "spam"), -1);
    EXPECT(PyErr_ExceptionMatches(PyExc_ImportError));
    take_raised_text(message, sizeof(message));
    EXPECT_HAS(message, "module spam was compiled with");
    EXPECT_HAS(message, headers);
    EXPECT_HAS(message, "pkg-config --cflags ouroboros");
}

TEST_PY(code_compiled_with_other_headers_is_refused)
{
    expect_refused(PY_VERSION_HEX, "CPython's or other headers (ABI tag 0x030f00f0)");
    expect_refused(1013, "CPython's or other headers");
    expect_refused(OURO_ABI_TAG ^ 1u, "these headers with OURO_CHECK");
    expect_refused(OURO_ABI_TAG ^ 0x100u, "headers of another version");
}

TEST_PY(a_structure_of_the_future_is_refused)
{
    PyABIInfo info = own_info;
    info.abiinfo_major_version = 2;
    EXPECT_EQ(PyABIInfo_Check(&info, "spam"), -1);
    EXPECT_RAISED_TEXT(PyExc_ImportError, "PyABIInfo version of spam is too high");
    EXPECT_EQ(PyABIInfo_Check(NULL, "spam"), -1);
    EXPECT_RAISED(PyExc_SystemError);
}
