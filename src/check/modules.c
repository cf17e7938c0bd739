/* SPDX-License-Identifier: MIT */
/* Module state: does m_traverse visit its contents, and does it work without one? */
#include "check.h"

/* --- what is visited ------------------------------------------------------------------------ */

struct state_visits {
    PyObject **visited;
    size_t count, room;
};

static int
note_state_visit(PyObject *op, void *arg)
{
    struct state_visits *visits = arg;
    if (visits->count == visits->room) {
        size_t room = 2 * visits->room + 16;
        PyObject **larger = realloc(visits->visited, room * sizeof(void *));
        OURO_REQUIRE(larger != NULL, "the contract checker: out of memory");
        visits->visited = larger;
        visits->room = room;
    }
    visits->visited[visits->count++] = op;
    return 0;
}

static bool
was_visited(const struct state_visits *visits, const PyObject *op)
{
    size_t i = 0;
    while (i < visits->count && visits->visited[i] != op) {
        i++;
    }
    return i < visits->count;
}

static void
compare_state(PyObject *module, const struct state_visits *visits, const char *state,
              Py_ssize_t bytes)
{
    for (Py_ssize_t at = 0; at + (Py_ssize_t)sizeof(void *) <= bytes;
         at += (Py_ssize_t)sizeof(void *)) {
        void *word;
        memcpy(&word, state + at, sizeof word);
        const struct record *record = ouro_record_live(word);
        if (record != NULL && record->family == BLOCK_CONTAINER && record->was_tracked &&
            !was_visited(visits, word)) {
            ouro_report(OURO_GC_M62, module, at,
                        "the state of module '%s' holds a '%s' at offset %zd that "
                        "m_traverse does not visit",
                        PyModule_GetName(module), ouro_type_name_of(word), at);
        }
    }
}

void
ouro_audit_module(PyObject *op)
{
    Py_ssize_t bytes = 0;
    const PyModuleDef *def = PyModule_GetDef(op);
    const char *state = PyModule_GetState(op);
    if (def == NULL || state == NULL || PyModule_GetStateSize(op, &bytes) < 0 ||
        bytes <= 0) {
        return;
    }
    struct state_visits visits = {NULL, 0, 0};
    if (def->m_traverse != NULL) {
        (void)def->m_traverse(op, note_state_visit, &visits);
    }
    compare_state(op, &visits, state, bytes);
    free(visits.visited);
}

/* --- without a state --------------------------------------------------------------------------- */

struct stateless {
    PyObject *module;
    traverseproc traverse;
};

static int
ignore_visit(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    return 0;
}

static void
traverse_stateless(void *arg)
{
    const struct stateless *stateless = arg;
    (void)stateless->traverse(stateless->module, ignore_visit, NULL);
}

static bool
makes_its_module(const PyModuleDef *def)
{
    const PyModuleDef_Slot *slot = def->m_slots;
    while (slot != NULL && slot->slot != 0 && slot->slot != Py_mod_create) {
        slot++;
    }
    return slot != NULL && slot->slot == Py_mod_create;
}

/* A module of the definition whose state was not made yet: as before its exec function. */
static PyObject *
make_stateless(PyModuleDef *def)
{
    PyObject *spec = PyModule_New("spec");
    PyObject *name = PyUnicode_FromString(def->m_name);
    PyObject *module = NULL;
    if (spec != NULL && name != NULL && PyObject_SetAttrString(spec, "name", name) == 0) {
        module = PyModule_FromDefAndSpec(def, spec);
    }
    Py_XDECREF(spec);
    Py_XDECREF(name);
    if (module == NULL) {
        PyErr_Clear();
    }
    return module;
}

void
ouro_stress_module(PyObject *op)
{
    PyModuleDef *def = PyModule_GetDef(op);
    if (def == NULL || def->m_traverse == NULL || def->m_slots == NULL ||
        def->m_size <= 0 || makes_its_module(def)) {
        return;
    }
    struct stateless stateless = {make_stateless(def), def->m_traverse};
    if (stateless.module != NULL && PyModule_GetState(stateless.module) == NULL &&
        !ouro_survives(traverse_stateless, &stateless)) {
        ouro_report(OURO_GC_M61, op, -1,
                    "m_traverse of '%s' needs a state; before 3.9 it is called without",
                    def->m_name);
    }
    Py_XDECREF(stateless.module);
}
