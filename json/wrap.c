/* wrap.c - see wrap.h. */
#include "json/wrap.h"

#include <string.h>

static void put_word(Wrap *w, const char *word, size_t length)
{
    if (w->column > 0 && w->column + 1 + length > WRAP_COLUMNS) {
        putc('\n', w->out);
        w->column = 0;
        /* A % in the first column would make the line a comment. */
        if (*word == '%') w->column++, putc(' ', w->out);
    } else if (w->column > 0)
        w->column++, putc(' ', w->out);
    fwrite(word, 1, length, w->out);
    w->column += length;
}

void wrap_word(Wrap *wrap, const char *word) { put_word(wrap, word, strlen(word)); }

void wrap_words(Wrap *wrap, const char *text)
{
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        put_word(wrap, text, length);
        text += length;
    }
}
