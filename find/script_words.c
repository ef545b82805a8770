/* script_words.c - see script_words.h. It reads the words of Lua one after the other, and looks at
 * three that follow each other. */
#include "find/script_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_EQUAL, TOKEN_OTHER } TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *at; /* of a text: what is between the quotes */
    int length, line;
    bool field; /* a name after a dot */
} Token;

typedef struct Reader {
    const char *next;
    int line;
    bool dot; /* the last token was a dot */
} Reader;

/* Returns the end of a long bracket, [[...]] or [==[...]==], that begins at `c`; NULL if none does. */
static const char *long_bracket(const char *c)
{
    const char *open = c + 1 + strspn(c + 1, "=");
    const size_t level = (size_t)(open - c - 1);
    if (*c != '[' || *open != '[') return NULL;
    for (const char *end = open; (end = strchr(end, ']')) != NULL; end++)
        if (strspn(end + 1, "=") == level && end[1 + level] == ']') return end + 2 + level;
    return open + strlen(open);
}

static void skip_to(Reader *r, const char *end)
{
    for (; r->next < end; r->next++) r->line += *r->next == '\n';
}

static void skip_space(Reader *r)
{
    for (;;) {
        const char *c = r->next;
        if (isspace((unsigned char)*c)) {
            skip_to(r, c + 1);
        } else if (c[0] == '-' && c[1] == '-') {
            const char *end = long_bracket(c + 2);
            skip_to(r, end != NULL ? end : c + strcspn(c, "\n"));
        } else {
            return;
        }
    }
}

static Token quoted(Reader *r)
{
    const char quote = *r->next, *c = r->next + 1;
    Token token = {TOKEN_TEXT, c, 0, r->line, false};
    while (*c != '\0' && *c != quote) c += *c == '\\' && c[1] != '\0' ? 2 : 1;
    token.length = (int)(c - token.at);
    skip_to(r, *c != '\0' ? c + 1 : c);
    return token;
}

static Token next_token(Reader *r)
{
    skip_space(r);
    const char *c = r->next, *end = long_bracket(c);
    Token token = {TOKEN_OTHER, c, 1, r->line, r->dot};
    r->dot = false;
    if (*c == '\0') return (Token){TOKEN_END, c, 0, r->line, false};
    if (*c == '"' || *c == '\'') return quoted(r);
    if (end != NULL) {
        token.length = (int)(end - c);
    } else if (isalpha((unsigned char)*c) || *c == '_') {
        token.kind = TOKEN_NAME;
        while (isalnum((unsigned char)c[token.length]) || c[token.length] == '_') token.length++;
    } else if ((c[0] == '=' || c[0] == '~') && c[1] == '=') {
        token.kind = TOKEN_EQUAL;
        token.length = 2;
    } else if (c[0] == '.') {
        token.length = (int)strspn(c, ".");
        r->dot = token.length == 1;
    }
    skip_to(r, c + token.length);
    return token;
}

static bool is_word(const Token *token, const char *word)
{
    return strlen(word) == (size_t)token->length &&
           strncmp(token->at, word, (size_t)token->length) == 0;
}

/* ---- What a name can be ---------------------------------------------------------------------- */

/* A name, and the words that it can be, each in quotes; NULL: a number. */
typedef struct Words {
    const char *name, *words;
} Words;

static const Words globals[] = {{"turn", "\"white\" or \"black\""},
                                {"verdict", "\"win\", \"draw\" or \"loss\""},
                                {"passed", "\"win\", \"draw\" or \"loss\""},
                                {"zugzwang", "\"full\" or \"half\""},
                                {"dtz", NULL},
                                {"dtc", NULL},
                                {"dtm", NULL}};

static const Words fields[] = {{"verdict", "\"win\", \"draw\" or \"loss\""},
                               {"man", "\"k\", \"q\", \"r\", \"b\", \"n\" or \"p\""},
                               {"promotion", "\"q\", \"r\", \"b\" or \"n\""},
                               {"dtz", NULL},
                               {"dtc", NULL},
                               {"dtm", NULL}};

static bool is_square(const Token *text)
{
    return text->length == 2 && text->at[0] >= 'a' && text->at[0] <= 'h' && text->at[1] >= '1' &&
           text->at[1] <= '8';
}

/* Whether a name is that of a man, "wk". */
static bool is_man(const Token *name)
{
    return name->length == 2 && strchr("wb", name->at[0]) != NULL &&
           strchr("kqrbnp", name->at[1]) != NULL;
}

/* Whether a name can be equal to a text. */
static bool can_be(const Token *name, const Token *text, char why[SCRIPT_WORDS_SIZE])
{
    const Words *list = name->field ? fields : globals;
    const size_t count = name->field ? sizeof fields / sizeof *fields
                                     : sizeof globals / sizeof *globals;
    char quoted_text[40];
    const int shown = text->length < 30 ? text->length : 30;
    const bool square = name->field ? is_word(name, "from") || is_word(name, "to") : is_man(name);
    if (square && !is_square(text)) {
        snprintf(why, SCRIPT_WORDS_SIZE,
                 "%d: %.*s is a square such as \"e4\", and never \"%.*s\"", name->line,
                 name->length, name->at, shown, text->at);
        return false;
    }
    snprintf(quoted_text, sizeof quoted_text, "\"%.*s\"", shown, text->at);
    for (size_t i = 0; i < count; i++) {
        if (!is_word(name, list[i].name)) continue;
        if (list[i].words == NULL) {
            snprintf(why, SCRIPT_WORDS_SIZE, "%d: %s is a number of plies: write it without quotes",
                     name->line, list[i].name);
            return false;
        }
        if (text->length < 30 && strstr(list[i].words, quoted_text) != NULL) continue;
        snprintf(why, SCRIPT_WORDS_SIZE, "%d: %s is never %s, but %s", name->line,
                 list[i].name, quoted_text, list[i].words);
        return false;
    }
    return true;
}

/* Whether the condition gives the name a meaning of its own: after `local`, `for` or `function`, or as
 * an argument. */
static bool is_declared(const char *condition, const Token *name)
{
    Reader r = {condition, 1, false};
    bool declares = false;
    for (Token token = next_token(&r); token.kind != TOKEN_END; token = next_token(&r)) {
        if (token.kind == TOKEN_NAME &&
            (is_word(&token, "local") || is_word(&token, "for") || is_word(&token, "function")))
            declares = true;
        else if (token.kind == TOKEN_NAME && declares && token.length == name->length &&
                 strncmp(token.at, name->at, (size_t)name->length) == 0)
            return true;
        else if (token.kind != TOKEN_NAME && strchr(",(", *token.at) == NULL)
            declares = false;
    }
    return false;
}

/* Whether a token is "..", which makes another text of the name or text beside it. */
static bool joins(const Token *token) { return token->kind == TOKEN_OTHER && is_word(token, ".."); }

/* Checks a comparison of tokens 1 and 3, which token 2 compares. Tokens 0 and 4 are beside it. */
static bool comparison_is_right(const Token token[5], const char *condition,
                                char why[SCRIPT_WORDS_SIZE])
{
    const Token *a = &token[1], *b = &token[3];
    const Token *name = a->kind == TOKEN_NAME ? a : b, *text = a->kind == TOKEN_TEXT ? a : b;
    if (token[2].kind != TOKEN_EQUAL || name->kind != TOKEN_NAME || text->kind != TOKEN_TEXT)
        return true;
    if (joins(&token[0]) || joins(&token[4])) return true;
    if (token[0].kind == TOKEN_NAME && is_word(&token[0], "not")) {
        snprintf(why, SCRIPT_WORDS_SIZE,
                 "%d: 'not' belongs to what follows it alone: write 'not (%.*s %.*s ...)'",
                 a->line, a->length < 40 ? a->length : 40, a->at, token[2].length, token[2].at);
        return false;
    }
    return can_be(name, text, why) || (!name->field && is_declared(condition, name));
}

bool script_words_check(const char *condition, char why[SCRIPT_WORDS_SIZE])
{
    const Token none = {TOKEN_END, condition, 0, 1, false};
    Reader r = {condition, 1, false};
    Token token[5] = {none, none, none, none, none};
    /* To the end, and one more, so that the last token is once the fourth. */
    for (bool more = true; more;) {
        more = token[4].kind != TOKEN_END || r.next == condition;
        memmove(token, token + 1, 4 * sizeof *token);
        token[4] = next_token(&r);
        if (!comparison_is_right(token, condition, why)) return false;
    }
    return true;
}
