/* SPDX-License-Identifier: MIT */
/* The module `datetime`, through its capsule and through its types. */
#include "../types/special.h"

#include <datetime.h>

static void
import_datetime(void)
{
    REQUIRE_EQ(PyImport_AppendInittab("datetime", PyInit_datetime), 0);
    Py_Initialize();
    PyDateTime_IMPORT;
    REQUIRE_NOT_NULL(PyDateTimeAPI);
}

static void
expect_text(PyObject *op, const char *repr, const char *str)
{
    REQUIRE_NOT_NULL(op);
    PyObject *r = PyObject_Repr(op), *s = PyObject_Str(op);
    EXPECT_STR(PyUnicode_AsUTF8(r), repr);
    EXPECT_STR(PyUnicode_AsUTF8(s), str);
    Py_DECREF(r);
    Py_DECREF(s);
    Py_DECREF(op);
}

#define EXPECT_TEXT(op, repr, str) expect_text((op), (repr), (str))

TEST(the_capsule_makes_objects_and_macros_read_them)
{
    import_datetime();
    PyObject *date = PyDate_FromDate(2024, 2, 29);
    EXPECT(PyDate_CheckExact(date) && !PyDateTime_Check(date));
    EXPECT(PyDateTime_GET_YEAR(date) == 2024 && PyDateTime_GET_MONTH(date) == 2);
    EXPECT_EQ(PyDateTime_GET_DAY(date), 29);
    EXPECT_TEXT(date, "datetime.date(2024, 2, 29)", "2024-02-29");
    PyObject *when = PyDateTime_FromDateAndTime(2024, 12, 31, 23, 59, 58, 1234);
    EXPECT(PyDateTime_CheckExact(when) && PyDate_Check(when));
    EXPECT(PyDateTime_DATE_GET_HOUR(when) == 23 &&
           PyDateTime_DATE_GET_MINUTE(when) == 59);
    EXPECT(PyDateTime_DATE_GET_SECOND(when) == 58 && PyDateTime_DATE_GET_FOLD(when) == 0);
    EXPECT_EQ(PyDateTime_DATE_GET_MICROSECOND(when), 1234);
    EXPECT(PyDateTime_DATE_GET_TZINFO(when) == Py_None);
    EXPECT_TEXT(when, "datetime.datetime(2024, 12, 31, 23, 59, 58, 1234)",
                "2024-12-31 23:59:58.001234");
    PyObject *time = PyTime_FromTimeAndFold(1, 2, 3, 0, 1);
    EXPECT(PyTime_CheckExact(time) && PyDateTime_TIME_GET_FOLD(time) == 1);
    EXPECT_EQ(PyDateTime_TIME_GET_SECOND(time), 3);
    EXPECT_TEXT(time, "datetime.time(1, 2, 3)", "01:02:03");
    PyObject *delta = PyDelta_FromDSU(1, -1, 1500000);
    EXPECT(PyDelta_CheckExact(delta) && PyDateTime_DELTA_GET_DAYS(delta) == 1);
    EXPECT_EQ(PyDateTime_DELTA_GET_SECONDS(delta), 0);
    EXPECT_TEXT(delta, "datetime.timedelta(days=1, microseconds=500000)",
                "1 day, 0:00:00.500000");
    EXPECT(PyTZInfo_Check(PyDateTime_TimeZone_UTC));
    Py_FinalizeEx();
}

TEST(values_outside_the_calendar_are_refused)
{
    import_datetime();
    EXPECT_NULL(PyDate_FromDate(2023, 2, 29));
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "day 29 must be in range 1..28 for month 2 in year 2023");
    EXPECT_NULL(PyDate_FromDate(0, 1, 1));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(PyDateTime_FromDateAndTime(2024, 1, 1, 24, 0, 0, 0));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "hour must be in 0..23, not 24");
    EXPECT_NULL(PyTime_FromTimeAndFold(0, 0, 0, 0, 2));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(PyDelta_FromDSU(999999999, 86400, 0));
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_NULL(
        PyDateTimeAPI->Time_FromTime(0, 0, 0, 0, Py_True, PyDateTimeAPI->TimeType));
    EXPECT_RAISED(PyExc_TypeError);
    Py_FinalizeEx();
}

TEST(days_and_seconds_are_added_and_subtracted)
{
    import_datetime();
    PyObject *date = PyDate_FromDate(2024, 2, 28), *two = PyDelta_FromDSU(2, 0, 0);
    EXPECT_TEXT(PyNumber_Add(date, two), "datetime.date(2024, 3, 1)", "2024-03-01");
    EXPECT_TEXT(PyNumber_Subtract(date, two), "datetime.date(2024, 2, 26)", "2024-02-26");
    PyObject *later = PyDate_FromDate(9999, 12, 31);
    EXPECT_TEXT(PyNumber_Subtract(later, date), "datetime.timedelta(days=2913115)",
                "2913115 days, 0:00:00");
    EXPECT_NULL(PyNumber_Add(later, two));
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "date value out of range");
    EXPECT_EQ(PyObject_RichCompareBool(date, later, Py_LT), 1);
    EXPECT_NE(PyObject_Hash(date), PyObject_Hash(later));
    EXPECT_REPR_OF(CALL(date, "weekday"), "2");
    EXPECT_REPR_OF(CALL(date, "toordinal"), "738944");
    PyObject *when = PyDateTime_FromDateAndTime(2024, 2, 28, 23, 59, 59, 999999);
    PyObject *moment = PyDelta_FromDSU(0, 0, 1);
    EXPECT_TEXT(PyNumber_Add(when, moment), "datetime.datetime(2024, 2, 29, 0, 0)",
                "2024-02-29 00:00:00");
    EXPECT_TEXT(PyNumber_Subtract(when, two),
                "datetime.datetime(2024, 2, 26, 23, 59, 59, 999999)",
                "2024-02-26 23:59:59.999999");
    PyObject *earlier = PyNumber_Subtract(when, moment);
    EXPECT_TEXT(PyNumber_Subtract(earlier, when),
                "datetime.timedelta(days=-1, seconds=86399, microseconds=999999)",
                "-1 day, 23:59:59.999999");
    EXPECT_TEXT(PyNumber_Negative(two), "datetime.timedelta(days=-2)",
                "-2 days, 0:00:00");
    PyObject *three = number(3);
    EXPECT_TEXT(PyNumber_Multiply(moment, three), "datetime.timedelta(microseconds=3)",
                "0:00:00.000003");
    Py_DECREF(three);
    Py_DECREF(earlier);
    Py_DECREF(moment);
    Py_DECREF(when);
    Py_DECREF(later);
    Py_DECREF(two);
    Py_DECREF(date);
    Py_FinalizeEx();
}

TEST(ordinals_and_dates_agree_over_all_years)
{
    import_datetime();
    for (int year = 1; year <= 9999; year += 7) {
        PyObject *date = PyDate_FromDate(year, 12, 31),
                 *ordinal = CALL(date, "toordinal");
        PyObject *again = CALL(PyDateTimeAPI->DateType, "fromordinal", ordinal);
        EXPECT_EQ(PyObject_RichCompareBool(date, again, Py_EQ), 1);
        Py_XDECREF(again);
        Py_DECREF(ordinal);
        Py_DECREF(date);
    }
    Py_FinalizeEx();
}

TEST(time_zones_shift_comparisons_and_text)
{
    import_datetime();
    PyObject *offset = PyDelta_FromDSU(0, 7200, 0), *zone = PyTimeZone_FromOffset(offset);
    EXPECT_TEXT(Py_NewRef(zone), "datetime.timezone(datetime.timedelta(seconds=7200))",
                "UTC+02:00");
    EXPECT_TEXT(Py_NewRef(PyDateTime_TimeZone_UTC), "datetime.timezone.utc", "UTC");
    PyObject *here = PyDateTimeAPI->DateTime_FromDateAndTime(2024, 1, 1, 2, 0, 0, 0, zone,
                                                             PyDateTimeAPI->DateTimeType);
    PyObject *there = PyDateTimeAPI->DateTime_FromDateAndTime(
        2024, 1, 1, 0, 0, 0, 0, PyDateTime_TimeZone_UTC, PyDateTimeAPI->DateTimeType);
    PyObject *naive = PyDateTime_FromDateAndTime(2024, 1, 1, 0, 0, 0, 0);
    EXPECT_EQ(PyObject_RichCompareBool(here, there, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(here), PyObject_Hash(there));
    EXPECT_EQ(PyObject_RichCompareBool(here, naive, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(here, naive, Py_LT), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyNumber_Subtract(here, naive));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_REPR_OF(CALL(here, "isoformat"), "'2024-01-01T02:00:00+02:00'");
    EXPECT_REPR_OF(CALL(there, "timestamp"), "1704067200.0");
    PyObject *args = Py_BuildValue("(dO)", 1704067200.25, zone);
    EXPECT_TEXT(PyDateTime_FromTimestamp(args),
                "datetime.datetime(2024, 1, 1, 2, 0, 0, 250000, "
                "tzinfo=datetime.timezone(datetime.timedelta(seconds=7200)))",
                "2024-01-01 02:00:00.250000+02:00");
    Py_DECREF(args);
    PyObject *day = PyDelta_FromDSU(1, 0, 0);
    EXPECT_NULL(PyTimeZone_FromOffset(day));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(day);
    Py_DECREF(naive);
    Py_DECREF(there);
    Py_DECREF(here);
    Py_DECREF(zone);
    Py_DECREF(offset);
    Py_FinalizeEx();
}

TEST(the_types_take_the_arguments_that_are_documented)
{
    import_datetime();
    PyObject *kwargs = Py_BuildValue("{sisd}", "hours", 1, "seconds", 0.5),
             *none = PyTuple_New(0);
    EXPECT_TEXT(PyObject_Call((PyObject *)PyDateTimeAPI->DeltaType, none, kwargs),
                "datetime.timedelta(seconds=3600, microseconds=500000)",
                "1:00:00.500000");
    Py_DECREF(kwargs);
    Py_DECREF(none);
    PyObject *today = CALL(PyDateTimeAPI->DateType, "today");
    EXPECT(PyDate_CheckExact(today) && PyDateTime_GET_YEAR(today) >= 2024);
    Py_XDECREF(today);
    PyObject *now = CALL(PyDateTimeAPI->DateTimeType, "now", PyDateTime_TimeZone_UTC);
    PyObject *stamp = CALL(now, "timestamp");
    EXPECT_LE((long)PyFloat_AsDouble(stamp) - (long)time(NULL), 1);
    Py_XDECREF(stamp);
    Py_XDECREF(now);
    PyObject *local = PyDateTime_FromDateAndTime(2024, 6, 1, 12, 0, 0, 0);
    stamp = CALL(local, "timestamp");
    PyObject *args = PyTuple_Pack(1, stamp), *back = PyDateTime_FromTimestamp(args);
    EXPECT_EQ(PyObject_RichCompareBool(local, back, Py_EQ), 1);
    PyObject *date = PyDate_FromTimestamp(args), *its_date = CALL(local, "date");
    EXPECT_EQ(PyObject_RichCompareBool(date, its_date, Py_EQ), 1);
    EXPECT_TEXT(CALL(local, "time"), "datetime.time(12, 0)", "12:00:00");
    Py_DECREF(its_date);
    Py_DECREF(date);
    Py_DECREF(back);
    Py_DECREF(args);
    Py_DECREF(stamp);
    Py_DECREF(local);
    Py_FinalizeEx();
}

TEST(a_second_life_imports_it_again)
{
    import_datetime();
    PyObject *first = PyDate_FromDate(2024, 1, 1);
    Py_DECREF(first);
    Py_FinalizeEx();
    import_datetime();
    EXPECT_TEXT(PyDate_FromDate(2024, 1, 1), "datetime.date(2024, 1, 1)", "2024-01-01");
    Py_FinalizeEx();
}
