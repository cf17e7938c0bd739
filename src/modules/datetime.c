/* SPDX-License-Identifier: MIT */
/* The module `datetime` and its capsule. No table refers to it: a program that uses it appends
 * PyInit_datetime to its modules. Other programs do not link it. */
#include "datetime_types.h"

static PyObject *
new_datetime(int year, int month, int day, int hour, int minute, int second,
             int microsecond, PyObject *tzinfo, PyTypeObject *type)
{
    return ouro_datetime_new(year, month, day, hour, minute, second, microsecond, tzinfo,
                             0, type);
}

static PyObject *
new_time(int hour, int minute, int second, int microsecond, PyObject *tzinfo,
         PyTypeObject *type)
{
    return ouro_time_new(hour, minute, second, microsecond, tzinfo, 0, type);
}

static PyDateTime_CAPI capi = {
    .DateType = &ouro_date_type,
    .DateTimeType = &ouro_datetime_type,
    .TimeType = &ouro_time_type,
    .DeltaType = &ouro_delta_type,
    .TZInfoType = &ouro_tzinfo_type,
    .Date_FromDate = ouro_date_new,
    .DateTime_FromDateAndTime = new_datetime,
    .Time_FromTime = new_time,
    .Delta_FromDelta = ouro_delta_new,
    .TimeZone_FromTimeZone = ouro_timezone_new,
    .DateTime_FromTimestamp = ouro_datetime_from_timestamp,
    .Date_FromTimestamp = ouro_date_from_timestamp,
    .DateTime_FromDateAndTimeAndFold = ouro_datetime_new,
    .Time_FromTimeAndFold = ouro_time_new,
};

static int
datetime_exec(PyObject *module)
{
    static PyTypeObject *const types[] = {&ouro_date_type,   &ouro_datetime_type,
                                          &ouro_time_type,   &ouro_delta_type,
                                          &ouro_tzinfo_type, &ouro_timezone_type};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(types); i++) {
        if (PyModule_AddType(module, types[i]) < 0) {
            return -1;
        }
    }
    capi.TimeZone_UTC = ouro_timezone_utc;
    PyObject *dict = PyType_GetDict(&ouro_timezone_type);
    int status = PyDict_ContainsString(dict, "utc"); /* the dict is the process's */
    status =
        status == 0 ? PyDict_SetItemString(dict, "utc", ouro_timezone_utc) : status - 1;
    Py_DECREF(dict);
    PyType_Modified(&ouro_timezone_type);
    bool done = status == 0 &&
                PyModule_AddObjectRef(module, "UTC", ouro_timezone_utc) == 0 &&
                PyModule_AddIntConstant(module, "MINYEAR", 1) == 0 &&
                PyModule_AddIntConstant(module, "MAXYEAR", 9999) == 0 &&
                PyModule_Add(module, "datetime_CAPI",
                             PyCapsule_New(&capi, PyDateTime_CAPSULE_NAME, NULL)) == 0;
    return done ? 0 : -1;
}

static PyModuleDef_Slot datetime_slots[] = {
    {Py_mod_exec, (void *)datetime_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef datetime_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "datetime",
    .m_doc = "Dates and times.",
    .m_slots = datetime_slots,
};

PyObject *
PyInit_datetime(void)
{
    return PyModuleDef_Init(&datetime_def);
}
