/* cbor.c - see cbor.h. libcbor encodes the heads of items; the bytes of texts are copied after them. */
#include "server/cbor.h"

#include <cbor.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 9 };

typedef struct Buffer {
    unsigned char *data;
    size_t size, room;
} Buffer;

/* Makes room for a head and `more` bytes. */
static bool make_room(Buffer *out, size_t more)
{
    enum { FIRST = 8192 };
    size_t need = out->size + HEAD_MAX + more;
    if (need <= out->room) return true;
    size_t room = need > 2 * out->room ? need + FIRST : 2 * out->room;
    unsigned char *data = realloc(out->data, room);
    if (data == NULL) return false;
    out->data = data;
    out->room = room;
    return true;
}

static bool put_text(Buffer *out, const char *text, size_t length)
{
    if (!make_room(out, length)) return false;
    out->size += cbor_encode_string_start(length, out->data + out->size, HEAD_MAX);
    memcpy(out->data + out->size, text, length);
    out->size += length;
    return true;
}

/* Numbers, true, false and null. */
static bool put_simple(Buffer *out, const json_t *value)
{
    if (!make_room(out, 0)) return false;
    unsigned char *at = out->data + out->size;
    json_int_t number = json_integer_value(value);
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        out->size += number >= 0 ? cbor_encode_uint((uint64_t)number, at, HEAD_MAX)
                                 : cbor_encode_negint((uint64_t) - (number + 1), at, HEAD_MAX);
        break;
    case JSON_REAL:
        out->size += cbor_encode_double(json_real_value(value), at, HEAD_MAX);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        out->size += cbor_encode_bool(json_is_true(value), at, HEAD_MAX);
        break;
    default:
        out->size += cbor_encode_null(at, HEAD_MAX);
    }
    return true;
}

/* Recursive; the objects of answers are only a few levels deep. */
static bool put_value(Buffer *out, const json_t *value)
{
    if (json_is_string(value))
        return put_text(out, json_string_value(value), json_string_length(value));
    if (!json_is_object(value) && !json_is_array(value)) return put_simple(out, value);
    if (!make_room(out, 0)) return false;
    unsigned char *at = out->data + out->size;
    if (json_is_array(value)) {
        out->size += cbor_encode_array_start(json_array_size(value), at, HEAD_MAX);
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!put_value(out, json_array_get(value, i))) return false;
        return true;
    }
    out->size += cbor_encode_map_start(json_object_size(value), at, HEAD_MAX);
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)value, name, member)
    {
        if (!put_text(out, name, strlen(name)) || !put_value(out, member)) return false;
    }
    return true;
}

char *cbor_of_json(const json_t *value, size_t *size)
{
    Buffer out = {0};
    if (!put_value(&out, value)) {
        free(out.data);
        return NULL;
    }
    *size = out.size;
    return (char *)out.data;
}
