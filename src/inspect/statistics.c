/* SPDX-License-Identifier: MIT */
/* Statistics for people and as JSON. The tables of ouro_statistics.h give the names and
 * meanings of the rows. This file decides how numbers look, and the order of the tables. */
#include <ouro_statistics.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* --- the tables ------------------------------------------------------------------------------ */

enum statistic_unit { UNIT_COUNT, UNIT_BYTES, UNIT_SECONDS, UNIT_SHARE, UNIT_BUCKETS };

struct statistic {
    const char *name, *text;
    size_t offset;  /* in its structure */
    size_t numbers; /* of 64 bits: integers, or doubles for SECONDS and SHARE */
    enum statistic_unit unit;
};

/* clang-format off */
#define ROW_OF(structure, name, unit, text) \
    {#name, text, offsetof(structure, name), sizeof(((structure *)0)->name) / 8, UNIT_##unit},
#define HEAP_ROW(type, name, array, unit, text) ROW_OF(Ouro_HeapUsage, name, unit, text)
#define CLASS_ROW(type, name, array, unit, text) ROW_OF(Ouro_HeapClass, name, unit, text)
#define GENERATION_ROW(type, name, array, unit, text) ROW_OF(Ouro_GCStats, name, unit, text)
#define CYCLE_ROW(type, name, array, unit, text) ROW_OF(Ouro_GCCycleStats, name, unit, text)
#define PAUSE_ROW(type, name, array, unit, text) ROW_OF(Ouro_GCPauseStats, name, unit, text)
static const struct statistic heap_rows[] = {OURO_HEAP_STATISTICS(HEAP_ROW)};
static const struct statistic class_rows[] = {OURO_CLASS_STATISTICS(CLASS_ROW)};
static const struct statistic generation_rows[] = {OURO_GENERATION_STATISTICS(GENERATION_ROW)};
static const struct statistic cycle_rows[] = {OURO_CYCLE_STATISTICS(CYCLE_ROW)};
static const struct statistic pause_rows[] = {OURO_PAUSE_STATISTICS(PAUSE_ROW)};

/* A table, and the structures in Ouro_Statistics that it made. */
struct statistics_table {
    const char *name;
    const char *const *columns; /* names of the structures; NULL when they have numbers */
    const struct statistic *rows;
    size_t row_count;
    size_t offset, stride, count; /* of the structures */
};

#define TABLE(name, columns, rows, count) \
    {#name, columns, rows, Py_ARRAY_LENGTH(rows), offsetof(Ouro_Statistics, name), \
     sizeof(((Ouro_Statistics *)0)->name) / (count), count}
static const char *const clocks[] = {"wall", "cpu"};
static const struct statistics_table statistics_tables[] = {
    TABLE(heap, NULL, heap_rows, 1),
    TABLE(classes, NULL, class_rows, OURO_HEAP_CLASSES),
    TABLE(generations, NULL, generation_rows, 3),
    TABLE(cycles, NULL, cycle_rows, 1),
    TABLE(pauses, clocks, pause_rows, 2),
};
/* clang-format on */

static const char *
structure_of(const Ouro_Statistics *statistics, const struct statistics_table *table,
             size_t number)
{
    return (const char *)statistics + table->offset + number * table->stride;
}

/* Most sizes have no pages. */
static bool
is_left_out(const struct statistics_table *table, const char *structure)
{
    return table->rows == class_rows && ((const Ouro_HeapClass *)structure)->pages == 0;
}

static uint64_t
integer_of(const char *structure, const struct statistic *row, size_t index)
{
    uint64_t number;
    memcpy(&number, structure + row->offset + 8 * index, sizeof number);
    return number;
}

static double
double_of(const char *structure, const struct statistic *row, size_t index)
{
    double number;
    memcpy(&number, structure + row->offset + 8 * index, sizeof number);
    return number;
}

/* --- JSON -------------------------------------------------------------------------------------- */

/* With a decimal point, which printf replaces in some languages. To a nanosecond. */
static void
put_json_double(double number, FILE *file)
{
    unsigned long long billionths = (unsigned long long)(number * 1e9 + 0.5);
    fprintf(file, "%llu.%09llu", billionths / 1000000000, billionths % 1000000000);
}

static void
put_json_number(const char *structure, const struct statistic *row, size_t index,
                FILE *file)
{
    uint64_t integer = integer_of(structure, row, index);
    if (row->unit == UNIT_SECONDS || row->unit == UNIT_SHARE) {
        put_json_double(double_of(structure, row, index), file);
    } else if (integer == SIZE_MAX) { /* unlimited; no number that JSON can rely on */
        fputs("null", file);
    } else {
        fprintf(file, "%llu", (unsigned long long)integer);
    }
}

static void
put_json_row(const char *structure, const struct statistic *row, FILE *file)
{
    fprintf(file, "\"%s\": %s", row->name, row->numbers > 1 ? "[" : "");
    for (size_t i = 0; i < row->numbers; i++) {
        fputs(i != 0 ? ", " : "", file);
        put_json_number(structure, row, i, file);
    }
    fputs(row->numbers > 1 ? "]" : "", file);
}

static void
put_json_structure(const struct statistics_table *table, const char *structure,
                   FILE *file)
{
    for (size_t i = 0; i < table->row_count; i++) {
        fputs(i != 0 ? ", " : "{", file);
        put_json_row(structure, &table->rows[i], file);
    }
    fputs("}", file);
}

/* An object; several by name in an object, or by number in a list. */
static void
put_json_table(const Ouro_Statistics *statistics, const struct statistics_table *table,
               FILE *file)
{
    bool is_first = true, is_one = table->count == 1;
    fprintf(file, "\"%s\": %s", table->name, is_one ? "" : table->columns ? "{" : "[");
    for (size_t i = 0; i < table->count; i++) {
        const char *structure = structure_of(statistics, table, i);
        if (!is_left_out(table, structure)) {
            fputs(is_first ? "" : ",\n  ", file);
            is_first = false;
            if (table->columns != NULL) {
                fprintf(file, "\"%s\": ", table->columns[i]);
            }
            put_json_structure(table, structure, file);
        }
    }
    fputs(is_one ? "" : table->columns ? "}" : "]", file);
}

static void
put_json(const Ouro_Statistics *statistics, FILE *file)
{
    for (size_t t = 0; t < Py_ARRAY_LENGTH(statistics_tables); t++) {
        fputs(t != 0 ? ",\n " : "{", file);
        put_json_table(statistics, &statistics_tables[t], file);
    }
    fputs("}\n", file);
}

/* --- for people ---------------------------------------------------------------------------------- */

#define COLUMN 14

static void
put_cell(const char *structure, const struct statistic *row, size_t index, FILE *file)
{
    uint64_t integer = integer_of(structure, row, index);
    char text[40];
    if (row->unit == UNIT_SECONDS) {
        snprintf(text, sizeof text, "%.3f ms", 1e3 * double_of(structure, row, index));
    } else if (row->unit == UNIT_SHARE) {
        snprintf(text, sizeof text, "%.1f %%", 1e2 * double_of(structure, row, index));
    } else if (integer == SIZE_MAX) {
        snprintf(text, sizeof text, "-");
    } else if (row->unit == UNIT_BYTES && integer >= 1 << 20) {
        snprintf(text, sizeof text, "%.1f MiB", (double)integer / (1 << 20));
    } else {
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)integer,
                 row->unit == UNIT_BYTES ? " B" : "");
    }
    fprintf(file, " %*s", COLUMN, text);
}

static void
put_heads(const struct statistics_table *table, FILE *file)
{
    fprintf(file, "%-*s", table->count > 1 ? 18 : 0, table->name);
    for (size_t i = 0; i < table->count && table->count > 1; i++) {
        if (table->columns != NULL) {
            fprintf(file, " %*s", COLUMN, table->columns[i]);
        } else {
            fprintf(file, " %*zu", COLUMN, i);
        }
    }
    fputs("\n", file);
}

/* A line for each row, a column for each structure. */
static void
put_columns(const Ouro_Statistics *statistics, const struct statistics_table *table,
            FILE *file)
{
    put_heads(table, file);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct statistic *row = &table->rows[r];
        for (size_t index = 0; index < row->numbers && row->unit != UNIT_BUCKETS;
             index++) {
            fprintf(file, "  %-16s", row->name);
            for (size_t i = 0; i < table->count; i++) {
                put_cell(structure_of(statistics, table, i), row, index, file);
            }
            fprintf(file, "%s%s\n", index == 0 ? "  " : "", index == 0 ? row->text : "");
        }
    }
}

/* A line for each structure, a column for each row. */
static void
put_lines(const Ouro_Statistics *statistics, const struct statistics_table *table,
          FILE *file)
{
    fprintf(file, "%s\n ", table->name);
    for (size_t r = 0; r < table->row_count; r++) {
        fprintf(file, " %*s", COLUMN, table->rows[r].name);
    }
    fputs("\n", file);
    for (size_t i = 0; i < table->count; i++) {
        const char *structure = structure_of(statistics, table, i);
        if (is_left_out(table, structure)) {
            continue;
        }
        fputs(" ", file);
        for (size_t r = 0; r < table->row_count; r++) {
            put_cell(structure, &table->rows[r], 0, file);
        }
        fputs("\n", file);
    }
}

static void
put_tables(const Ouro_Statistics *statistics, FILE *file)
{
    for (size_t t = 0; t < Py_ARRAY_LENGTH(statistics_tables); t++) {
        if (statistics_tables[t].count > 3) {
            put_lines(statistics, &statistics_tables[t], file);
        } else {
            put_columns(statistics, &statistics_tables[t], file);
        }
    }
}

void
Ouro_StatisticsWrite(const Ouro_Statistics *statistics, FILE *file, int is_json)
{
    if (is_json) {
        put_json(statistics, file);
    } else {
        put_tables(statistics, file);
    }
}
