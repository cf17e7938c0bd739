/* SPDX-License-Identifier: MIT */
/* Draws the graphs of shapes.h. */
#include "shapes.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

static void
link_two(struct shape *s, uint32_t from, uint32_t first, uint32_t second)
{
    s->edge[2 * (size_t)from] = first;
    s->edge[2 * (size_t)from + 1] = second;
}

static void
draw_chain(struct shape *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        link_two(s, i, (i + 1) % s->n, random_below(s->n));
    }
    s->held[0] = 1;
}

/* Hold every object that no object held earlier leads to. */
static void
hold_what_is_needed(struct shape *s)
{
    uint8_t *seen = bench_array(s->n, 1);
    uint32_t *stack = bench_array(s->n, sizeof *stack);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t depth = 0;
        if (!seen[i]) {
            s->held[i] = seen[i] = 1;
            stack[depth++] = i;
        }
        while (depth > 0) {
            const uint32_t *edge = s->edge + 2 * (size_t)stack[--depth];
            for (int k = 0; k < 2; k++) {
                if (edge[k] != NO_EDGE && !seen[edge[k]]) {
                    seen[edge[k]] = 1;
                    stack[depth++] = edge[k];
                }
            }
        }
    }
    free(seen);
    free(stack);
}

static void
draw_random(struct shape *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t first = random_below(s->n);
        link_two(s, i, first, random_below(s->n));
    }
    hold_what_is_needed(s);
}

/* `place` says where each node of the tree is allocated. */
static void
draw_tree_at(struct shape *s, const uint32_t *place)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t left = 2 * i + 1, right = 2 * i + 2;
        link_two(s, place[i], left < s->n ? place[left] : place[0],
                 right < s->n ? place[right] : NO_EDGE);
    }
    s->held[place[0]] = 1;
}

static void
draw_placed_tree(struct shape *s, int shuffle)
{
    uint32_t *place = bench_array(s->n, sizeof *place);
    for (uint32_t i = 0; i < s->n; i++) {
        place[i] = i;
    }
    for (uint32_t i = s->n - 1; shuffle && i > 0; i--) {
        uint32_t j = random_below(i + 1), other = place[j];
        place[j] = place[i];
        place[i] = other;
    }
    draw_tree_at(s, place);
    free(place);
}

static void
draw_tree(struct shape *s)
{
    draw_placed_tree(s, 0);
}

static void
draw_shuffled(struct shape *s)
{
    draw_placed_tree(s, 1);
}

static void
draw_prepended(struct shape *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        link_two(s, i, i > 0 ? i - 1 : NO_EDGE, NO_EDGE);
    }
    s->held[s->n - 1] = 1;
}

static void
draw_dll(struct shape *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        link_two(s, i, i + 1 < s->n ? i + 1 : NO_EDGE, i > 0 ? i - 1 : NO_EDGE);
    }
}

static void
draw_dll_middle(struct shape *s)
{
    draw_dll(s);
    s->held[s->n / 2] = 1;
}

static void
draw_dll_newest(struct shape *s)
{
    draw_dll(s);
    s->held[s->n - 1] = 1;
}

static void
draw_rings(struct shape *s)
{
    uint32_t i = 0, spine = NO_EDGE;
    s->held[0] = 1;
    while (i < s->n) {
        uint32_t left = s->n - i - 1, length = 2 + random_below(9);
        length = length < left ? length : left;
        if (spine != NO_EDGE) {
            s->edge[2 * (size_t)spine] = i;
        }
        spine = i++;
        link_two(s, spine, NO_EDGE, length > 0 ? i : NO_EDGE);
        for (uint32_t k = 0; k < length; k++) {
            link_two(s, i + k, i + (k + 1) % length, NO_EDGE);
        }
        i += length;
    }
}

static void
draw_popular(struct shape *s)
{
    uint32_t stars = s->n / 1000 + 1;
    for (uint32_t i = 0; i < s->n; i++) {
        link_two(s, i, (i + 1) % s->n, random_below(stars) * (s->n / stars));
    }
    s->held[0] = 1;
}

static void
draw_star(struct shape *s)
{
    uint32_t leaves = s->n - 1;
    s->edge = bench_array(3 * (size_t)leaves, sizeof *s->edge);
    s->width[0] = leaves;
    for (uint32_t i = 1; i < s->n; i++) {
        uint32_t *back = s->edge + leaves + 2 * (size_t)(i - 1);
        s->width[i] = 2;
        s->edge[i - 1] = i;
        back[0] = 0;
        back[1] = NO_EDGE;
    }
    s->held[0] = 1;
}

/* Half of the objects have two edges. A wide object has 24 bytes, and eight for each edge. */
static uint32_t
draw_width(void)
{
    uint32_t p = random_below(100);
    return p < 50 ? 2 : p < 75 ? 4 : p < 90 ? 13 : p < 97 ? 45 : 122;
}

static void
draw_mixed(struct shape *s)
{
    size_t edges = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        edges += s->width[i] = draw_width();
    }
    s->edge = bench_array(edges, sizeof *s->edge);
    uint32_t *edge = s->edge;
    for (uint32_t i = 0; i < s->n; i++) {
        *edge++ = (i + 1) % s->n;
        *edge++ = random_below(s->n);
        for (uint32_t k = 2; k < s->width[i]; k++) {
            *edge++ = k % 2 ? NO_EDGE : (i + random_below(1000)) % s->n;
        }
    }
    s->held[0] = 1;
}

static const struct {
    const char *name;
    void (*draw)(struct shape *);
    int wide; /* draws widths too, and allocates the edges itself */
} drawings[] = {
    {"chain", draw_chain, 0},
    {"random", draw_random, 0},
    {"tree", draw_tree, 0},
    {"shuffled", draw_shuffled, 0},
    {"prepended", draw_prepended, 0},
    {"dll-middle", draw_dll_middle, 0},
    {"dll-newest", draw_dll_newest, 0},
    {"star", draw_star, 1},
    {"rings", draw_rings, 0},
    {"mixed", draw_mixed, 1},
    {"popular", draw_popular, 0},
};

void
shape_draw(struct shape *shape, const char *name, uint32_t n)
{
    *shape = (struct shape){.name = name, .n = n};
    random_seed(1);
    shape->held = bench_array(n, 1);
    for (size_t i = 0; i < sizeof drawings / sizeof drawings[0]; i++) {
        if (strcmp(drawings[i].name, name) != 0) {
            continue;
        }
        if (drawings[i].wide) {
            shape->width = bench_array(n, sizeof *shape->width);
        } else {
            shape->edge = bench_array(2 * (size_t)n, sizeof *shape->edge);
        }
        drawings[i].draw(shape);
        return;
    }
    bench_fail("no shape %s", name);
}

void
shape_forget(struct shape *shape)
{
    free(shape->width);
    free(shape->edge);
    free(shape->held);
    *shape = (struct shape){0};
}

/* Where the edges of each object start. The last entry is the number of all edges. */
static size_t *
find_edges(const struct shape *s)
{
    size_t *start = bench_array((size_t)s->n + 1, sizeof *start);
    for (uint32_t i = 0; i < s->n; i++) {
        start[i + 1] = start[i] + (s->width != NULL ? s->width[i] : 2);
    }
    return start;
}

uint32_t
shape_cyclic(const struct shape *s)
{
    uint32_t *count = bench_array(s->n, sizeof *count);
    uint32_t *stack = bench_array(s->n, sizeof *stack);
    size_t *start = find_edges(s);
    uint32_t left = s->n, depth = 0;
    for (size_t e = 0; e < start[s->n]; e++) {
        if (s->edge[e] != NO_EDGE) {
            count[s->edge[e]]++;
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (count[i] == 0) {
            stack[depth++] = i;
        }
    }
    while (depth > 0) {
        uint32_t i = stack[--depth];
        left--;
        for (size_t e = start[i]; e < start[i + 1]; e++) {
            if (s->edge[e] != NO_EDGE && --count[s->edge[e]] == 0) {
                stack[depth++] = s->edge[e];
            }
        }
    }
    free(count);
    free(stack);
    free(start);
    return left;
}
