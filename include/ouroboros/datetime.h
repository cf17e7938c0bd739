/* SPDX-License-Identifier: MIT */
/* datetime objects, through the capsule of the module `datetime`.
 *
 * PyDateTime_IMPORT must run before anything else here; it needs a module `datetime` that has
 * the capsule. The library has one (PyInit_datetime), which a program adds to its modules:
 *
 *     PyImport_AppendInittab("datetime", PyInit_datetime);
 *     Py_Initialize();
 *
 * `ouro check` does that. docs/differences.md says what the types can do. */
#ifndef Py_DATETIME_H
#define Py_DATETIME_H

#include "Python.h"

OURO_BEGIN_DECLS

/* The module. */
PyMODINIT_FUNC PyInit_datetime(void);

/* --- objects -------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Py_hash_t hashcode; /* -1 until asked for */
    int days;           /* -999999999 to 999999999 */
    int seconds;        /* 0 to 86399 */
    int microseconds;   /* 0 to 999999 */
} PyDateTime_Delta;

typedef struct {
    PyObject_HEAD
} PyDateTime_TZInfo;

/* clang-format off */
#define _PyTZINFO_HEAD                                                                   \
    PyObject_HEAD                                                                        \
    Py_hash_t hashcode;                                                                  \
    char hastzinfo;
/* clang-format on */

/* Year in two bytes, most significant first, then month and day. */
typedef struct {
    _PyTZINFO_HEAD unsigned char data[4];
} PyDateTime_Date;

/* Hour, minute, second, and microseconds in three bytes. */
typedef struct {
    _PyTZINFO_HEAD unsigned char data[6];
    unsigned char fold;
    PyObject *tzinfo; /* None when hastzinfo is 0 */
} PyDateTime_Time;

/* A date, then a time. */
typedef struct {
    _PyTZINFO_HEAD unsigned char data[10];
    unsigned char fold;
    PyObject *tzinfo; /* None when hastzinfo is 0 */
} PyDateTime_DateTime;

/* --- fields ------------------------------------------------------------------------------ */

#define PyDateTime_GET_YEAR(o)                                                           \
    ((((PyDateTime_Date *)(o))->data[0] << 8) | ((PyDateTime_Date *)(o))->data[1])
#define PyDateTime_GET_MONTH(o)       (((PyDateTime_Date *)(o))->data[2])
#define PyDateTime_GET_DAY(o)         (((PyDateTime_Date *)(o))->data[3])
#define PyDateTime_DATE_GET_HOUR(o)   (((PyDateTime_DateTime *)(o))->data[4])
#define PyDateTime_DATE_GET_MINUTE(o) (((PyDateTime_DateTime *)(o))->data[5])
#define PyDateTime_DATE_GET_SECOND(o) (((PyDateTime_DateTime *)(o))->data[6])
#define PyDateTime_DATE_GET_MICROSECOND(o)                                               \
    ((((PyDateTime_DateTime *)(o))->data[7] << 16) |                                     \
     (((PyDateTime_DateTime *)(o))->data[8] << 8) |                                      \
     ((PyDateTime_DateTime *)(o))->data[9])
#define PyDateTime_DATE_GET_FOLD(o)   (((PyDateTime_DateTime *)(o))->fold)
#define PyDateTime_DATE_GET_TZINFO(o) (((PyDateTime_DateTime *)(o))->tzinfo)
#define PyDateTime_TIME_GET_HOUR(o)   (((PyDateTime_Time *)(o))->data[0])
#define PyDateTime_TIME_GET_MINUTE(o) (((PyDateTime_Time *)(o))->data[1])
#define PyDateTime_TIME_GET_SECOND(o) (((PyDateTime_Time *)(o))->data[2])
#define PyDateTime_TIME_GET_MICROSECOND(o)                                               \
    ((((PyDateTime_Time *)(o))->data[3] << 16) |                                         \
     (((PyDateTime_Time *)(o))->data[4] << 8) | ((PyDateTime_Time *)(o))->data[5])
#define PyDateTime_TIME_GET_FOLD(o)          (((PyDateTime_Time *)(o))->fold)
#define PyDateTime_TIME_GET_TZINFO(o)        (((PyDateTime_Time *)(o))->tzinfo)
#define PyDateTime_DELTA_GET_DAYS(o)         (((PyDateTime_Delta *)(o))->days)
#define PyDateTime_DELTA_GET_SECONDS(o)      (((PyDateTime_Delta *)(o))->seconds)
#define PyDateTime_DELTA_GET_MICROSECONDS(o) (((PyDateTime_Delta *)(o))->microseconds)

/* --- the capsule ---------------------------------------------------------------------------- */

/* The functions return new references, or NULL with ValueError or OverflowError. */
typedef struct {
    PyTypeObject *DateType;
    PyTypeObject *DateTimeType;
    PyTypeObject *TimeType;
    PyTypeObject *DeltaType;
    PyTypeObject *TZInfoType;
    PyObject *TimeZone_UTC;
    PyObject *(*Date_FromDate)(int year, int month, int day, PyTypeObject *type);
    PyObject *(*DateTime_FromDateAndTime)(int year, int month, int day, int hour,
                                          int minute, int second, int usecond,
                                          PyObject *tzinfo, PyTypeObject *type);
    PyObject *(*Time_FromTime)(int hour, int minute, int second, int usecond,
                               PyObject *tzinfo, PyTypeObject *type);
    PyObject *(*Delta_FromDelta)(int days, int seconds, int useconds, int normalize,
                                 PyTypeObject *type);
    PyObject *(*TimeZone_FromTimeZone)(PyObject *offset, PyObject *name);
    PyObject *(*DateTime_FromTimestamp)(PyObject *type, PyObject *args, PyObject *kwargs);
    PyObject *(*Date_FromTimestamp)(PyObject *type, PyObject *args);
    PyObject *(*DateTime_FromDateAndTimeAndFold)(int year, int month, int day, int hour,
                                                 int minute, int second, int usecond,
                                                 PyObject *tzinfo, int fold,
                                                 PyTypeObject *type);
    PyObject *(*Time_FromTimeAndFold)(int hour, int minute, int second, int usecond,
                                      PyObject *tzinfo, int fold, PyTypeObject *type);
} PyDateTime_CAPI;

#define PyDateTime_CAPSULE_NAME "datetime.datetime_CAPI"

static PyDateTime_CAPI *PyDateTimeAPI __attribute__((unused)) = NULL;
#define PyDateTime_IMPORT                                                                \
    (PyDateTimeAPI = (PyDateTime_CAPI *)PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0))
#define PyDateTime_TimeZone_UTC (PyDateTimeAPI->TimeZone_UTC)

#define PyDate_Check(op)          PyObject_TypeCheck((op), PyDateTimeAPI->DateType)
#define PyDate_CheckExact(op)     Py_IS_TYPE((op), PyDateTimeAPI->DateType)
#define PyDateTime_Check(op)      PyObject_TypeCheck((op), PyDateTimeAPI->DateTimeType)
#define PyDateTime_CheckExact(op) Py_IS_TYPE((op), PyDateTimeAPI->DateTimeType)
#define PyTime_Check(op)          PyObject_TypeCheck((op), PyDateTimeAPI->TimeType)
#define PyTime_CheckExact(op)     Py_IS_TYPE((op), PyDateTimeAPI->TimeType)
#define PyDelta_Check(op)         PyObject_TypeCheck((op), PyDateTimeAPI->DeltaType)
#define PyDelta_CheckExact(op)    Py_IS_TYPE((op), PyDateTimeAPI->DeltaType)
#define PyTZInfo_Check(op)        PyObject_TypeCheck((op), PyDateTimeAPI->TZInfoType)
#define PyTZInfo_CheckExact(op)   Py_IS_TYPE((op), PyDateTimeAPI->TZInfoType)

#define PyDate_FromDate(y, m, d)                                                         \
    PyDateTimeAPI->Date_FromDate((y), (m), (d), PyDateTimeAPI->DateType)
#define PyDateTime_FromDateAndTime(y, mo, d, h, mi, s, us)                               \
    PyDateTimeAPI->DateTime_FromDateAndTime((y), (mo), (d), (h), (mi), (s), (us),        \
                                            Py_None, PyDateTimeAPI->DateTimeType)
#define PyDateTime_FromDateAndTimeAndFold(y, mo, d, h, mi, s, us, fold)                  \
    PyDateTimeAPI->DateTime_FromDateAndTimeAndFold((y), (mo), (d), (h), (mi), (s), (us), \
                                                   Py_None, (fold),                      \
                                                   PyDateTimeAPI->DateTimeType)
#define PyTime_FromTime(h, m, s, us)                                                     \
    PyDateTimeAPI->Time_FromTime((h), (m), (s), (us), Py_None, PyDateTimeAPI->TimeType)
#define PyTime_FromTimeAndFold(h, m, s, us, fold)                                        \
    PyDateTimeAPI->Time_FromTimeAndFold((h), (m), (s), (us), Py_None, (fold),            \
                                        PyDateTimeAPI->TimeType)
#define PyDelta_FromDSU(d, s, us)                                                        \
    PyDateTimeAPI->Delta_FromDelta((d), (s), (us), 1, PyDateTimeAPI->DeltaType)
#define PyTimeZone_FromOffset(offset) PyDateTimeAPI->TimeZone_FromTimeZone((offset), NULL)
#define PyTimeZone_FromOffsetAndName(offset, name)                                       \
    PyDateTimeAPI->TimeZone_FromTimeZone((offset), (name))
#define PyDateTime_FromTimestamp(args)                                                   \
    PyDateTimeAPI->DateTime_FromTimestamp((PyObject *)PyDateTimeAPI->DateTimeType,       \
                                          (args), NULL)
#define PyDate_FromTimestamp(args)                                                       \
    PyDateTimeAPI->Date_FromTimestamp((PyObject *)PyDateTimeAPI->DateType, (args))

OURO_END_DECLS

#endif
