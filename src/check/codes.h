/* SPDX-License-Identifier: MIT */
/* Every code, in the order of docs/checker.md:
 *
 *     OURO_CODE(name, certainty, whether the process ends by default)
 *
 * The digits are those of the rule that is broken; `make test` fails when a code has no
 * row in the document, or no seeded mistake and correct twin in tests/check/. */
/* clang-format off */
/* memory */
OURO_CODE(A01, CERTAIN,   true)  /* a freed object is used */
OURO_CODE(A02, CERTAIN,   true)  /* freed twice */
OURO_CODE(A03, CERTAIN,   true)  /* written behind its end */
OURO_CODE(A04, CERTAIN,   true)  /* written after it was freed */
OURO_CODE(A27, CERTAIN,   true)  /* used after PyObject_GC_Resize moved it */
/* tp_traverse */
OURO_CODE(T01, SUSPICION, false) /* a field is not visited */
OURO_CODE(T02, CERTAIN,   false) /* visited more often than it is owned */
OURO_CODE(T03, CERTAIN,   false) /* the type is not visited */
OURO_CODE(T04, CERTAIN,   false) /* the type is visited too often */
OURO_CODE(T05, CERTAIN,   false) /* counts change in tp_traverse */
OURO_CODE(T06, CERTAIN,   false) /* it allocates, frees, tracks, calls */
OURO_CODE(T07, CERTAIN,   false) /* it raises or clears an exception */
OURO_CODE(T08, CERTAIN,   false) /* its result is wrong */
OURO_CODE(T09, CERTAIN,   false) /* visit(NULL) */
OURO_CODE(T10, CERTAIN,   false) /* the list of weak references is visited */
OURO_CODE(T11, CERTAIN,   false) /* two runs differ */
OURO_CODE(T12, CERTAIN,   false) /* the managed dict is not visited */
OURO_CODE(T14, SUSPICION, false) /* what the base visits is not visited */
OURO_CODE(T64, SUSPICION, false) /* a _DuringGC function outside tp_traverse */
OURO_CODE(T73, CERTAIN,   true)  /* a declared array is longer than its block */
OURO_CODE(T74, NOTE,      false) /* a declared field never holds anything */
/* construction and tracking */
OURO_CODE(K16, CERTAIN,   false) /* tracked before its fields are initialised */
OURO_CODE(K17, SUSPICION, false) /* never tracked */
OURO_CODE(K18, CERTAIN,   true)  /* tracked twice */
OURO_CODE(K19, CERTAIN,   true)  /* tracked, and no container */
OURO_CODE(K20, CERTAIN,   true)  /* PyObject_New for a GC type */
OURO_CODE(K21, CERTAIN,   false) /* PyObject_Init of other memory for a GC type */
OURO_CODE(K22, SUSPICION, false) /* handlers without the flag */
OURO_CODE(K24, SUSPICION, false) /* tp_clear is not inherited */
OURO_CODE(K26, CERTAIN,   true)  /* resized while tracked */
OURO_CODE(K29, SUSPICION, false) /* references lost by shrinking */
OURO_CODE(K70, CERTAIN,   false) /* used without PyType_Ready */
/* destruction */
OURO_CODE(D30, CERTAIN,   false) /* references released, or freed, while tracked */
OURO_CODE(D32, SUSPICION, false) /* strictly untracked, and not tracked */
OURO_CODE(D33, SUSPICION, false) /* not freed */
OURO_CODE(D34, CERTAIN,   true)  /* the wrong function to free it */
OURO_CODE(D35, CERTAIN,   false) /* freed past the subtype's tp_free */
OURO_CODE(D36, CERTAIN,   false) /* the type is not released */
OURO_CODE(D37, CERTAIN,   true)  /* the type is released before the object is freed */
OURO_CODE(D38, CERTAIN,   false) /* the type is released twice */
OURO_CODE(D39, CERTAIN,   false) /* no tp_dealloc: fields are not released */
OURO_CODE(D41, CERTAIN,   false) /* freed with weak references */
OURO_CODE(D42, CERTAIN,   false) /* weak references cleared at the wrong time */
OURO_CODE(D43, CERTAIN,   true)  /* freed although it was resurrected */
OURO_CODE(D46, CERTAIN,   false) /* the pending exception was changed */
OURO_CODE(D47, CERTAIN,   false) /* a dead object is used again without PyObject_Init */
/* tp_clear */
OURO_CODE(C48, CERTAIN,   false) /* a released reference is still in its field */
OURO_CODE(C49, CERTAIN,   false) /* tp_clear is missing, or does too little */
OURO_CODE(C51, CERTAIN,   false) /* unusable after tp_clear */
OURO_CODE(C52, CERTAIN,   false) /* it frees the object or releases the type */
OURO_CODE(C53, CERTAIN,   false) /* it tracks or untracks the object */
OURO_CODE(C54, CERTAIN,   false) /* the second call releases again */
OURO_CODE(C56, CERTAIN,   false) /* freed with a managed dict */
/* finalizers, modules, control */
OURO_CODE(F57, NOTE,      false) /* resurrected by its finalizer */
OURO_CODE(F59, SUSPICION, false) /* tp_del */
OURO_CODE(M61, SUSPICION, false) /* m_traverse needs a state */
OURO_CODE(M62, SUSPICION, false) /* the state holds what m_traverse does not visit */
OURO_CODE(V66, CERTAIN,   false) /* containers made or freed while all are visited */
OURO_CODE(L67, SUSPICION, false) /* alive, and its holder is not known */
OURO_CODE(L71, NOTE,      false) /* alive, and static data holds it */
OURO_CODE(X68, CERTAIN,   false) /* without an attached thread state */
/* clang-format on */
