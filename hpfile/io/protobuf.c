/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/protobuf.h"

enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

bool hpf__proto_varint(hpf_str *bytes, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < bytes->length && i < 10; i++) {
        uint64_t byte = (unsigned char)bytes->data[i];
        if (i == 9 && byte > 1) {
            return false;
        }
        *value |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *bytes = hpf_str_from(*bytes, i + 1);
            return true;
        }
    }
    return false;
}

static bool take_fixed(hpf_str *bytes, size_t n, uint64_t *value)
{
    *value = 0;
    if (bytes->length < n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        *value |= (uint64_t)(unsigned char)bytes->data[i] << (8 * i);
    }
    *bytes = hpf_str_from(*bytes, n);
    return true;
}

hpf_status hpf__proto_next(hpf_str *message, hpf__proto_field *field)
{
    hpf_str rest = *message;
    uint64_t key;
    *field = (hpf__proto_field){0};
    if (rest.length == 0) {
        return HPF_END;
    }
    if (!hpf__proto_varint(&rest, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX) {
        return HPF_ERR_SYNTAX;
    }
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case VARINT:
        if (!hpf__proto_varint(&rest, &field->value)) {
            return HPF_ERR_SYNTAX;
        }
        break;
    case BYTES:
        field->is_bytes = true;
        if (!hpf__proto_varint(&rest, &field->value) || field->value > rest.length) {
            return HPF_ERR_SYNTAX;
        }
        field->bytes = (hpf_str){rest.data, (size_t)field->value};
        rest = hpf_str_from(rest, field->bytes.length);
        break;
    case FIXED_64:
    case FIXED_32:
        if (!take_fixed(&rest, (key & 7) == FIXED_64 ? 8 : 4, &field->value)) {
            return HPF_ERR_SYNTAX;
        }
        break;
    default:
        return HPF_ERR_SYNTAX;
    }
    *message = rest;
    return HPF_OK;
}

bool hpf__proto_put_varint(hpf__buffer *to, uint64_t value)
{
    unsigned char bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return hpf__buffer_append(to, bytes, n);
}

bool hpf__proto_put_number(hpf__buffer *to, uint32_t number, uint64_t value)
{
    return value == 0 || (hpf__proto_put_varint(to, (uint64_t)number << 3 | VARINT) &&
                          hpf__proto_put_varint(to, value));
}

bool hpf__proto_put_item(hpf__buffer *to, uint32_t number, hpf_str bytes)
{
    return hpf__proto_put_varint(to, (uint64_t)number << 3 | BYTES) &&
           hpf__proto_put_varint(to, bytes.length) && hpf__buffer_add(to, bytes);
}

bool hpf__proto_put_bytes(hpf__buffer *to, uint32_t number, hpf_str bytes)
{
    return bytes.length == 0 || hpf__proto_put_item(to, number, bytes);
}
