/* SPDX-License-Identifier: MIT */
/* How the unreachable set is found: this file alone chooses the detector.
 *
 * Read count.c and mark.c first: they are the algorithm, and they work for every heap. The
 * other detectors find the same set faster in some heaps. Each is one file with its own state,
 * and decides itself whether it applies; tuning.h has the benchmark rows that each of them
 * wins. */
#include "collection.h"

static bool
always_applies(struct collection *c)
{
    (void)c;
    return true;
}

/* Counting often proves that nothing is unreachable. Otherwise mark what is reachable. If
 * numbers are likely to prove the next collection, number the objects while marking them. */
static void
count_and_mark(struct collection *c)
{
    bool is_proved = ouro_count_external_references(c);
    if (!is_proved && !ouro_number_reachable(c)) {
        ouro_mark_reachable(c);
    }
    ouro_certificate_learn(c, is_proved);
}

/* The first detector that applies is taken. */
static const struct detector detectors[] = {
    {"unseen", ouro_unseen_applies, ouro_promote_unseen},
    {"few", ouro_candidates_are_few, ouro_detect_few},
    {"certificate", ouro_certificate_applies, ouro_detect_by_certificate},
    {"count and mark", always_applies, count_and_mark},
};

const struct detector *
ouro_detector_for(struct collection *c)
{
    const struct detector *detector = detectors;
    while (!detector->applies(c)) {
        detector++;
    }
    return detector;
}
