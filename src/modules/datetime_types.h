/* SPDX-License-Identifier: MIT */
/* What the files of the module `datetime` share. */
#ifndef OURO_MODULES_DATETIME_TYPES_H
#define OURO_MODULES_DATETIME_TYPES_H

#include <datetime.h>
#include <stdbool.h>

extern PyTypeObject ouro_delta_type, ouro_tzinfo_type, ouro_timezone_type, ouro_date_type,
    ouro_time_type, ouro_datetime_type;
extern PyObject *const ouro_timezone_utc; /* immortal, of the process */

#define OURO_DAY_SECONDS 86400

/* --- datetime_delta.c --------------------------------------------------------------------- */

/* A timedelta; `normalize` brings seconds and microseconds into range. NULL with OverflowError. */
PyObject *ouro_delta_new(int days, int seconds, int microseconds, int normalize,
                         PyTypeObject *type);
/* The same from a number of microseconds, an int. */
PyObject *ouro_delta_from_microseconds(PyObject *total);
PyObject *ouro_delta_as_microseconds(PyObject *delta);
int64_t ouro_delta_seconds(PyObject *delta); /* without the microseconds */

/* --- datetime_zone.c ----------------------------------------------------------------------- */

PyObject *ouro_timezone_new(PyObject *offset, PyObject *name);
/* Is it None or a tzinfo? Else TypeError. */
bool ouro_tzinfo_check(PyObject *tzinfo);
/* tzinfo.utcoffset(when): a timedelta or None, a new reference; or NULL. */
PyObject *ouro_tzinfo_offset(PyObject *tzinfo, PyObject *when);
/* Write +hh:mm[:ss] for an offset. */
void ouro_offset_text(char *text, size_t size, PyObject *offset);

/* --- datetime_date.c ------------------------------------------------------------------------- */

PyObject *ouro_date_new(int year, int month, int day, PyTypeObject *type);
bool ouro_date_check(int year, int month, int day);
/* The number of the day, 1 for 0001-01-01; and back. False with OverflowError. */
int64_t ouro_ordinal(int year, int month, int day);
bool ouro_ordinal_date(int64_t ordinal, int *year, int *month, int *day);
void ouro_date_store(unsigned char *data, int year, int month, int day);
PyObject *ouro_date_from_timestamp(PyObject *type, PyObject *args);

/* --- datetime_time.c, datetime_datetime.c ------------------------------------------------------ */

struct ouro_clock {
    int hour, minute, second, microsecond;
};
bool ouro_clock_check(struct ouro_clock clock, int fold);
void ouro_clock_store(unsigned char *data, struct ouro_clock clock);
/* hh:mm:ss[.ffffff] */
void ouro_clock_text(char *text, size_t size, struct ouro_clock clock);
PyObject *ouro_time_new(int hour, int minute, int second, int microsecond,
                        PyObject *tzinfo, int fold, PyTypeObject *type);
PyObject *ouro_datetime_new(int year, int month, int day, int hour, int minute,
                            int second, int microsecond, PyObject *tzinfo, int fold,
                            PyTypeObject *type);
PyObject *ouro_datetime_from_timestamp(PyObject *type, PyObject *args, PyObject *kwargs);

#endif
