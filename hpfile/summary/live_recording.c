/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A process is chosen when its log begins, and followed from then on.
 */
#include "summary/live_recording.h"

/* Takes bytes until it is known whether the input is a recording. Returns HPF_OK if it is another
 * input, whose first bytes are `*out`. */
static hpf_status recognise(hpf__live_recording *l, hpf_str *in, hpf_str *out, hpf_error *err)
{
    while (l->n_head < sizeof l->head) {
        if (in->length == 0) {
            return HPF_MORE;
        }
        l->head[l->n_head++] = *in->data;
        *in = hpf_str_from(*in, 1);
        if (memcmp(l->head, HPF__RECORDING_MAGIC, l->n_head) != 0) {
            l->is_other = true;
            *out = (hpf_str){l->head, l->n_head};
            return l->process ? hpf__recording_fail_other(err) : HPF_OK;
        }
    }
    if (hpf__recording_is_all(l->process)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "the sum of all processes cannot be followed");
    }
    l->recording = hpf__recording_create();
    hpf_str head = {l->head, l->n_head};
    hpf__chunk_part part;
    return l->recording ? hpf__chunks_next(&l->chunks, &head, &part, err)
                        : hpf_error_set_memory(err);
}

static hpf_status next(hpf__live_recording *l, hpf_str *in, hpf_str *out, hpf_error *err)
{
    hpf__chunk_part part;
    hpf_status status = HPF_MORE;
    if (!l->is_other && !l->recording) {
        status = recognise(l, in, out, err);
        if (status != HPF_MORE) {
            return status;
        }
    }
    if (l->is_other && in->length > 0) {
        *out = *in;
        in->length = 0;
        return HPF_OK;
    }
    while (l->recording && (status = hpf__chunks_next(&l->chunks, in, &part, err)) == HPF_OK &&
           (status = hpf__recording_note(l->recording, &part, err)) == HPF_OK) {
        const hpf_process *p = hpf_recording_chosen(l->recording);
        if (!p && part.is_sample &&
            hpf__recording_choose(l->recording, l->process, NULL) == HPF_OK) {
            p = hpf_recording_chosen(l->recording);
        }
        if (p && part.process == p->number && part.bytes.length > 0 &&
            part.kind == HPF__CHUNK_LOG) {
            *out = part.bytes;
            return HPF_OK;
        }
    }
    return status;
}

hpf_status hpf__live_recording_next(hpf__live_recording *l, hpf_str *in, hpf_str *out,
                                    hpf_error *err)
{
    hpf_status status = l->error.status;
    if (status == HPF_OK) {
        status = next(l, in, out, &l->error);
    }
    if (l->error.status != HPF_OK && err) {
        *err = l->error;
    }
    return status;
}

hpf_status hpf__live_recording_end(hpf__live_recording *l, hpf_error *err)
{
    return l->recording && !hpf_recording_chosen(l->recording)
               ? hpf__recording_choose(l->recording, l->process, err)
               : HPF_OK;
}

void hpf__live_recording_finish(hpf__live_recording *l)
{
    hpf__recording_destroy(l->recording);
    hpf__chunks_finish(&l->chunks);
}
