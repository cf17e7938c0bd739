/* SPDX-License-Identifier: MIT */
/* Binary trees whose nodes refer to their parents, built and dropped, with automatic
 * collection. The shape is the depth: "16" is 131,071 nodes. One tree stays. Others are built
 * until they have `n` nodes together, once to measure the time and once under watch. */
#include "measure.h"
#include "peer.h"
#include "watch.h"

#include <stdlib.h>

enum { LEFT, RIGHT, PARENT };

struct forest {
    long made, live;
    struct watch watch;
};

static node
grow_tree(struct forest *forest, int depth)
{
    node root = peer_new_branch(0);
    forest->made++;
    forest->live++;
    if (depth > 0) {
        for (int side = LEFT; side <= RIGHT; side++) {
            node child = grow_tree(forest, depth - 1);
            peer_link_wide(root, side, child);
            peer_link_wide(child, PARENT, root);
            peer_drop(child);
        }
        if (depth == 3) { /* after every 15 nodes */
            peer_safe_point();
            watch_step(&forest->watch, 0);
            if (PEER_COUNTS && forest->watch.is_on) {
                watch_garbage(&forest->watch,
                              forest->made - peer_deaths() - forest->live);
            }
        }
    }
    return root;
}

#if PEER_MANUAL
static void
fell_tree(node root)
{
    if (root != NULL) {
        fell_tree(peer_ref(root, LEFT));
        fell_tree(peer_ref(root, RIGHT));
        peer_free(root);
    }
}
#endif

static void
grow_and_drop(struct forest *forest, int depth, long objects)
{
    for (long end = forest->made + objects; forest->made < end;) {
        long before = forest->live;
        node tree = grow_tree(forest, depth);
#if PEER_MANUAL
        fell_tree(tree);
#else
        peer_drop(tree);
#endif
        forest->live = before;
    }
}

void
run_trees(const struct job *job)
{
    struct forest forest = {0};
    int depth = atoi(job->shape);
    peer_count_deaths();
    node *kept = peer_array(1);
    peer_automatic();
    kept[0] = grow_tree(&forest, depth);
    grow_and_drop(&forest, depth, 1); /* the heap grows to its size */

    long before = forest.made;
    double start = clock_read();
    grow_and_drop(&forest, depth, job->n);
    value_print("total", clock_read() - start);
    value_print("objects", (double)(forest.made - before));
    watch_start(&forest.watch);
    grow_and_drop(&forest, depth, job->n);
    if (!peer_is_alive(kept[0])) {
        bench_fail("the tree that is held died");
    }
    value_print("rss", peak_bytes());
    watch_print(&forest.watch);
}
