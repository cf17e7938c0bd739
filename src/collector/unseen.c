/* SPDX-License-Identifier: MIT */
/* Make young objects old without looking at what they refer to: no garbage is found.
 *
 * With a pause budget, after a middle collection that found next to no garbage, the next ones
 * would look at each object to find that it is alive. In a large heap the little garbage that is there
 * may as well wait for the next cycle, which looks at all old objects anyway (trigger.c says how many
 * such collections may come in a row). This needs a tenth of the time. */
#include "cycle.h"

bool
ouro_unseen_applies(struct collection *c)
{
    return c->trusts;
}

OURO_BODY
trust_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_trust_candidate(c, op);
}

void
ouro_promote_unseen(struct collection *c)
{
    if (!ouro_settle_candidates(c)) {
        ouro_each_slot(c, trust_body);
    }
    c->reachable = c->candidates;
}
