/* huffman.c - see huffman.h. */
#include "gen/compress/huffman.h"

#include <stdlib.h>
#include <string.h>

/* A node of the Huffman tree: a symbol (leaf), or the parent of two nodes. */
typedef struct Node {
    uint64_t used;
    uint16_t symbol;
    uint16_t parent;
} Node;

static int by_use(const void *a, const void *b)
{
    const Node *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? -1 : 1;
    return (int)x->symbol - (int)y->symbol;
}

/* Joins nodes until one is left; returns the number of all nodes. The leaves are sorted by their uses,
 * and the joined nodes are made in this order too. The two rarest nodes are therefore always at the
 * front of the leaves or of the joined nodes. */
static unsigned join(Node *node, unsigned leaves)
{
    unsigned leaf = 0, joined = leaves, end = leaves;
    while (end < 2 * leaves - 1) {
        uint64_t used = 0;
        for (int i = 0; i < 2; i++) {
            bool take_leaf =
                leaf < leaves && (joined == end || node[leaf].used <= node[joined].used);
            unsigned n = take_leaf ? leaf++ : joined++;
            used += node[n].used;
            node[n].parent = (uint16_t)end;
        }
        node[end++].used = used;
    }
    return end;
}

/* Sets the lengths of the code words. Returns false if one is longer than CODE_WORD_MAX. */
static bool measure(Huffman *out, Node *node, unsigned leaves)
{
    unsigned end = join(node, leaves);
    uint8_t depth[2 * CODE_SYMBOLS_MAX];
    depth[end - 1] = leaves == 1; /* a word has at least one bit */
    if (leaves == 1) out->length[node[0].symbol] = 1;
    for (unsigned n = end - 1; n-- > 0;) {
        depth[n] = (uint8_t)(depth[node[n].parent] + 1);
        if (depth[n] > CODE_WORD_MAX) return false;
        if (n < leaves) out->length[node[n].symbol] = depth[n];
    }
    return true;
}

/* Numbers the symbols by length of word, and gives them their words (a canonical code). */
static void number_symbols(Huffman *out, const Node *node, unsigned leaves)
{
    unsigned next = 0;
    uint64_t word = 0;
    out->longest = out->length[node[0].symbol];
    out->shortest = out->length[node[leaves - 1].symbol];
    for (unsigned l = out->longest; l >= out->shortest; l--) {
        if (l < out->longest) word /= 2;
        out->first[l] = (uint16_t)next;
        for (unsigned s = 0; s < out->count; s++) {
            if (out->length[s] != l) continue;
            out->number[s] = (uint16_t)next;
            out->symbol[next++] = (uint16_t)s;
            out->word[s] = (uint32_t)word++;
        }
    }
    for (unsigned s = 0; s < out->count; s++) {
        if (out->length[s] != 0) continue;
        out->number[s] = (uint16_t)next;
        out->symbol[next++] = (uint16_t)s;
    }
}

bool huffman_make(Huffman *out, const uint64_t *used, unsigned count)
{
    Node *node = malloc(2 * CODE_SYMBOLS_MAX * sizeof *node);
    if (node == NULL) return false;
    memset(out, 0, sizeof *out);
    out->count = count;
    /* If a word is too long, halve all counts and try again: counts that differ less give shorter
     * words. */
    for (unsigned blur = 0;; blur++) {
        unsigned leaves = 0;
        for (unsigned s = 0; s < count; s++)
            if (used[s] != 0)
                node[leaves++] =
                    (Node){.used = (used[s] >> blur) + (blur != 0), .symbol = (uint16_t)s};
        qsort(node, leaves, sizeof *node, by_use);
        if (!measure(out, node, leaves)) continue;
        number_symbols(out, node, leaves);
        break;
    }
    free(node);
    return true;
}
