/* guess.c - see guess.h. */
#include "cli/guess.h"

#include <string.h>

enum { LENGTH_MAX = 24, FAR = LENGTH_MAX };

static int least(int a, int b) { return a < b ? a : b; }

/* Returns the edit distance of two words, where an exchange of two neighbouring letters counts as one
 * mistake. Only the last three rows of the usual table are kept. */
static int edit_distance(const char *a, const char *b)
{
    int row[3][LENGTH_MAX + 1], *last = row[0], *now = row[1], *before = row[2];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LENGTH_MAX || n > LENGTH_MAX) return FAR;
    for (int j = 0; j <= n; j++) last[j] = before[j] = j;
    for (int i = 1; i <= m; i++) {
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            now[j] = least(last[j], now[j - 1]) + 1;
            now[j] = least(now[j], last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[n];
}

/* A word that is a beginning of the other ("veri", "generate") counts as one mistake. */
static int mistakes(const char *word, const char *known)
{
    size_t length = strlen(word), other = strlen(known), most = length < other ? length : other;
    int count = edit_distance(word, known);
    return most >= 3 && strncmp(word, known, most) == 0 ? least(count, 1) : count;
}

const char *guess_word(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    int nearest = strlen(word) < 6 ? 2 : 3; /* one mistake in a short word, two in a long one */
    for (size_t i = 0; i < count; i++) {
        int d = mistakes(word, words[i]);
        if (d >= nearest) continue;
        nearest = d;
        best = words[i];
    }
    return best;
}
