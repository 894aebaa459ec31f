/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The encoding of protocol buffers: fields of messages in memory, one by one, and their opposite.
 * https://protobuf.dev/programming-guides/encoding
 */
#ifndef HPF_PROTOBUF_H
#define HPF_PROTOBUF_H

#include <stdint.h>

#include "base/buffer.h"
#include "hpfile/error.h"
#include "hpfile/str.h"

/* A field: of a number `value`, of a text or message `bytes`. Fixed 32 and 64 bits are numbers. */
typedef struct hpf__proto_field {
    uint32_t number;
    bool is_bytes;
    uint64_t value;
    hpf_str bytes;
} hpf__proto_field;

/* Removes the first field of a message. Returns HPF_OK; HPF_END if the message is empty;
 * HPF_ERR_SYNTAX if it does not begin with a whole field. */
hpf_status hpf__proto_next(hpf_str *message, hpf__proto_field *field);

/* Removes a number from the beginning of a packed list. Returns false if there is none. */
bool hpf__proto_varint(hpf_str *bytes, uint64_t *value);

/* Append a field. Numbers of 0 and empty texts are left out, as they are the default. False when
 * there is no memory. */
bool hpf__proto_put_number(hpf__buffer *to, uint32_t number, uint64_t value);
bool hpf__proto_put_bytes(hpf__buffer *to, uint32_t number, hpf_str bytes);

/* Append a field even if it is empty, as lists need, and a number of a packed list. */
bool hpf__proto_put_item(hpf__buffer *to, uint32_t number, hpf_str bytes);
bool hpf__proto_put_varint(hpf__buffer *to, uint64_t value);

#endif
