/* SPDX-License-Identifier: MIT */
/* Memory that belongs to no container: the three domains, the allocators behind them, and plain
 * objects. */
#include <ouroboros.h>

#include "../protocol.h"

/* --- domains ------------------------------------------------------------------------------ */

struct domain {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
};

static const struct domain domains[] = {
    {PyMem_RawMalloc, PyMem_RawCalloc, PyMem_RawRealloc, PyMem_RawFree},
    {PyMem_Malloc, PyMem_Calloc, PyMem_Realloc, PyMem_Free},
    {PyObject_Malloc, PyObject_Calloc, PyObject_Realloc, PyObject_Free},
};

#define EACH_DOMAIN(d)                                                                   \
    for (const struct domain *d = domains; d < domains + Py_ARRAY_LENGTH(domains); d++)

TEST_PY(a_size_of_zero_yields_a_block_of_its_own)
{
    EACH_DOMAIN(d)
    {
        void *blocks[] = {d->malloc(0),
                          d->malloc(0),
                          d->calloc(0, 8),
                          d->calloc(8, 0),
                          d->calloc(0, 0),
                          d->realloc(NULL, 0),
                          d->realloc(d->malloc(10), 0)};
        for (size_t i = 0; i < Py_ARRAY_LENGTH(blocks); i++) {
            EXPECT_NOT_NULL(blocks[i]);
            for (size_t j = 0; j < i; j++) {
                EXPECT_NE(blocks[i], blocks[j]);
            }
        }
        for (size_t i = 0; i < Py_ARRAY_LENGTH(blocks); i++) {
            d->free(blocks[i]);
        }
    }
}

TEST_PY(calloc_zeroes_and_realloc_keeps_the_content)
{
    EACH_DOMAIN(d)
    {
        unsigned char *block = d->calloc(10, 30);
        for (int i = 0; i < 300; i++) {
            EXPECT_EQ(block[i], 0);
            block[i] = (unsigned char)i;
        }
        block = d->realloc(block, 100000);
        for (int i = 0; i < 300; i++) {
            EXPECT_EQ(block[i], (unsigned char)i);
        }
        block = d->realloc(block, 5);
        EXPECT_EQ(block[4], 4);
        d->free(block);
        block = d->realloc(NULL, 20);
        memset(block, 1, 20);
        d->free(block);
        d->free(NULL);
    }
}

TEST_PY(sizes_beyond_what_a_size_can_say_yield_null_without_exception)
{
    EACH_DOMAIN(d)
    {
        EXPECT_NULL(d->malloc((size_t)PY_SSIZE_T_MAX + 1));
        EXPECT_NULL(d->malloc(SIZE_MAX));
        EXPECT_NULL(d->calloc(SIZE_MAX, 2));
        EXPECT_NULL(d->calloc(SIZE_MAX / 4, 8));
        EXPECT_NULL(d->calloc((size_t)PY_SSIZE_T_MAX / 2 + 1, 2));
        char *block = d->malloc(4);
        memcpy(block, "abc", 4);
        EXPECT_NULL(d->realloc(block, (size_t)PY_SSIZE_T_MAX + 1));
        EXPECT_STR(block, "abc");
        d->free(block);
    }
    EXPECT_NO_ERROR();
}

TEST_PY(new_and_resize_count_in_elements_and_refuse_what_overflows)
{
    long *numbers = PyMem_New(long, 10);
    numbers[9] = 9;
    PyMem_Resize(numbers, long, 1000);
    EXPECT_EQ(numbers[9], 9);
    numbers[999] = 1;
    long *kept = numbers;
    PyMem_Resize(numbers, long, SIZE_MAX / 2);
    EXPECT_NULL(numbers);
    PyMem_Free(kept);
    EXPECT_NULL(PyMem_New(long, SIZE_MAX / 4));
    EXPECT_NO_ERROR();
}

TEST_PY(older_names_are_the_same_functions)
{
    char *block = PyMem_MALLOC(10);
    block = PyMem_REALLOC(block, 20);
    PyMem_FREE(block);
    PyMem_DEL(PyMem_NEW(char, 3));
    PyMem_Del(PyMem_New(char, 3));
    block = PyObject_MALLOC(10);
    block = PyObject_REALLOC(block, 20);
    PyObject_FREE(block);
    PyObject_DEL(PyObject_Malloc(1));
    PyObject_Del(PyObject_Malloc(1));
}

TEST(raw_memory_needs_no_interpreter)
{
    char *block = PyMem_RawMalloc(10);
    block = PyMem_RawRealloc(block, 1000);
    block[999] = 1;
    PyMem_RawFree(block);
    PyMem_RawFree(PyMem_RawCalloc(2, 2));
}

/* --- allocators of the embedding program ------------------------------------------------------ */

/* An allocator that counts, fails on demand, and otherwise calls the previous allocator. */
struct hook {
    PyMemAllocatorEx before;
    int mallocs, callocs, reallocs, frees;
    bool refuses;
};

static void *
hook_malloc(void *ctx, size_t size)
{
    struct hook *hook = ctx;
    hook->mallocs++;
    return hook->refuses ? NULL : hook->before.malloc(hook->before.ctx, size);
}

static void *
hook_calloc(void *ctx, size_t nelem, size_t elsize)
{
    struct hook *hook = ctx;
    hook->callocs++;
    return hook->refuses ? NULL : hook->before.calloc(hook->before.ctx, nelem, elsize);
}

static void *
hook_realloc(void *ctx, void *ptr, size_t new_size)
{
    struct hook *hook = ctx;
    hook->reallocs++;
    return hook->refuses ? NULL : hook->before.realloc(hook->before.ctx, ptr, new_size);
}

static void
hook_free(void *ctx, void *ptr)
{
    struct hook *hook = ctx;
    hook->frees++;
    hook->before.free(hook->before.ctx, ptr);
}

static void
install_hook(PyMemAllocatorDomain domain, struct hook *hook)
{
    PyMemAllocatorEx allocator = {hook, hook_malloc, hook_calloc, hook_realloc,
                                  hook_free};
    memset(hook, 0, sizeof *hook);
    PyMem_GetAllocator(domain, &hook->before);
    PyMem_SetAllocator(domain, &allocator);
}

TEST_PY(an_installed_allocator_serves_its_domain_alone)
{
    for (int installed = PYMEM_DOMAIN_RAW; installed <= PYMEM_DOMAIN_OBJ; installed++) {
        struct hook hook;
        install_hook((PyMemAllocatorDomain)installed, &hook);
        for (int used = PYMEM_DOMAIN_RAW; used <= PYMEM_DOMAIN_OBJ; used++) {
            const struct domain *d = &domains[used];
            int expected = used == installed;
            hook.mallocs = hook.callocs = hook.reallocs = hook.frees = 0;
            void *block = d->realloc(d->malloc(10), 20);
            d->free(block);
            d->free(d->calloc(3, 4));
            EXPECT_EQ(hook.mallocs, expected);
            EXPECT_EQ(hook.reallocs, expected);
            EXPECT_EQ(hook.callocs, expected);
            EXPECT_EQ(hook.frees, 2 * expected);
        }
        PyMem_SetAllocator((PyMemAllocatorDomain)installed, &hook.before);
    }
}

TEST_PY(get_allocator_returns_what_was_set)
{
    struct hook hook;
    PyMemAllocatorEx now;
    install_hook(PYMEM_DOMAIN_MEM, &hook);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &now);
    EXPECT_EQ(now.ctx, &hook);
    EXPECT(now.malloc == hook_malloc && now.calloc == hook_calloc);
    EXPECT(now.realloc == hook_realloc && now.free == hook_free);
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &hook.before);
}

TEST(an_allocator_installed_before_the_start_serves_a_whole_life)
{
    struct hook hooks[3];
    for (int domain = PYMEM_DOMAIN_RAW; domain <= PYMEM_DOMAIN_OBJ; domain++) {
        install_hook((PyMemAllocatorDomain)domain, &hooks[domain]);
    }
    Py_Initialize();
    PyObject *text_object = PyUnicode_FromString("not a constant of the library");
    PyObject *number_object = PyLong_FromLong(123456789);
    EXPECT_GT(hooks[PYMEM_DOMAIN_OBJ].mallocs, 0);
    Py_DECREF(text_object);
    Py_DECREF(number_object);
    Py_Finalize();
    for (int domain = PYMEM_DOMAIN_RAW; domain <= PYMEM_DOMAIN_OBJ; domain++) {
        PyMem_SetAllocator((PyMemAllocatorDomain)domain, &hooks[domain].before);
    }
}

/* --- plain objects ---------------------------------------------------------------------------- */

struct plain {
    PyObject_HEAD
    long value;
};

static PyTypeObject plain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Plain",
    .tp_basicsize = sizeof(struct plain),
};
static PyTypeObject text_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Text",
    .tp_basicsize = sizeof(PyVarObject),
    .tp_itemsize = 3,
};

static void
ready_plain_types(void)
{
    REQUIRE_EQ(PyType_Ready(&plain_type), 0);
    REQUIRE_EQ(PyType_Ready(&text_type), 0);
}

static PyTypeObject *
new_plain_heap_type(int itemsize)
{
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"test.PlainHeap",
                        itemsize == 0 ? sizeof(struct plain) : sizeof(PyVarObject),
                        itemsize, 0, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return type;
}

TEST_PY(a_new_plain_object_has_one_reference_and_is_no_container)
{
    ready_plain_types();
    struct plain *plain = PyObject_New(struct plain, &plain_type);
    EXPECT_EQ(Py_REFCNT(plain), 1);
    EXPECT_EQ(Py_TYPE(plain), &plain_type);
    EXPECT_EQ(PyObject_IS_GC((PyObject *)plain), 0);
    EXPECT_EQ(PyObject_GC_IsTracked((PyObject *)plain), 0);
    plain->value = 5;
    Py_DECREF(plain);
    plain = PyObject_NEW(struct plain, &plain_type);
    Py_DECREF(plain);
}

TEST_PY(a_new_plain_object_with_items_knows_how_many)
{
    ready_plain_types();
    PyVarObject *op = PyObject_NewVar(PyVarObject, &text_type, 7);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(Py_SIZE(op), 7);
    EXPECT_EQ(Py_TYPE(op), &text_type);
    memset(op + 1, 1, 21);
    Py_DECREF(op);
    op = PyObject_NEW_VAR(PyVarObject, &text_type, 0);
    EXPECT_EQ(Py_SIZE(op), 0);
    Py_DECREF(op);
}

TEST_PY(plain_objects_take_a_reference_to_their_heap_type)
{
    PyTypeObject *type = new_plain_heap_type(0);
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *op = PyObject_New(PyObject, type);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);

    type = new_plain_heap_type(8);
    before = Py_REFCNT(type);
    PyVarObject *items = PyObject_NewVar(PyVarObject, type, 4);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    Py_DECREF(items);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

TEST_PY(impossible_numbers_of_items_of_plain_objects_are_errors)
{
    ready_plain_types();
    EXPECT_NULL(PyObject_NewVar(PyVarObject, &text_type, -1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_NewVar(PyVarObject, &text_type, PY_SSIZE_T_MAX));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_NewVar(PyVarObject, &text_type, PY_SSIZE_T_MAX / 3));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_NewVar(PyVarObject, &text_type, (Py_ssize_t)(SIZE_MAX / 3)));
    EXPECT_RAISED(PyExc_MemoryError);
}

TEST_PY(init_sets_the_header_in_place)
{
    PyTypeObject *type = new_plain_heap_type(8);
    Py_ssize_t before = Py_REFCNT(type);
    PyVarObject *op = PyObject_Malloc(sizeof(PyVarObject) + 16);
    memset(op, 0xff, sizeof(PyVarObject));
    EXPECT_EQ(PyObject_Init((PyObject *)op, type), op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(Py_TYPE(op), type);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    EXPECT_EQ(PyObject_InitVar(op, type, 2), op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(Py_SIZE(op), 2);
    EXPECT_EQ(Py_REFCNT(type), before + 2);
    Py_DECREF(type);
    Py_DECREF(op);
    Py_DECREF(type);
}

static PyObject *kept_for_reuse;

static int
reused_traverse(PyObject *op, visitproc visit, void *arg)
{
    (void)op;
    (void)visit;
    (void)arg;
    return 0;
}

static void
reused_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    kept_for_reuse = op;
}

TEST_PY(init_brings_back_a_container_that_its_type_kept)
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "reused",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .tp_traverse = reused_traverse,
        .tp_dealloc = reused_dealloc,
    };
    REQUIRE_EQ(PyType_Ready(&type), 0);
    PyObject *op = PyObject_GC_New(PyObject, &type);
    REQUIRE_NOT_NULL(op);
    PyObject_GC_Track(op);
    Py_DECREF(op);
    REQUIRE_EQ(kept_for_reuse, op);
    EXPECT_EQ(PyObject_Init(op, &type), op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    PyGC_Collect();
    Py_DECREF(op);
    PyObject_GC_Del(kept_for_reuse);
}

TEST_PY(init_of_null_is_a_memory_error)
{
    ready_plain_types();
    EXPECT_NULL(PyObject_Init(NULL, &plain_type));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_InitVar(NULL, &text_type, 3));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyErr_NoMemory());
    EXPECT_RAISED(PyExc_MemoryError);
}

TEST_PY(an_allocator_that_refuses_is_a_memory_error)
{
    struct hook hook;
    ready_plain_types();
    install_hook(PYMEM_DOMAIN_OBJ, &hook);
    hook.refuses = true;
    EXPECT_NULL(PyObject_New(struct plain, &plain_type));
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyObject_NewVar(PyVarObject, &text_type, 3));
    EXPECT_RAISED(PyExc_MemoryError);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &hook.before);
}

static PyObject *
make_plain(void)
{
    return PyObject_New(PyObject, &plain_type);
}

TEST_PY(plain_objects_survive_any_failing_allocation)
{
    ready_plain_types();
    fail_each_allocation(make_plain);
}

static PyObject *kept_for_reuse;

static void
keep_for_reuse(PyObject *self)
{
    kept_for_reuse = self;
}

TEST_PY(an_object_that_its_type_kept_lives_again)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)keep_for_reuse}, {0, NULL}};
    static PyType_Spec spec = {"spam.Kept", sizeof(PyObject), 0, 0, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyObject *object = PyObject_New(PyObject, type);
    Py_ssize_t types = Py_REFCNT(type);
    Py_DECREF(object);
    EXPECT_EQ(kept_for_reuse, object);
    _Py_NewReference(object);
    EXPECT_EQ(Py_REFCNT(object), 1);
    EXPECT_EQ(Py_REFCNT(type), types); /* the object keeps its reference to the type */
    PyObject_Free(object);
    Py_DECREF(type);
    Py_DECREF(type);
}
