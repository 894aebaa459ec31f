/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates in two threads whose names contain control characters. Has no symbols, so that its
 * functions are named after its file.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

static void *volatile kept[3];

static void *allocate(void *name)
{
    prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
    kept[1] = malloc(1000);
    return NULL;
}

int main(void)
{
    static char names[2][16] = {"\x1b]0;EVIL\x07\xc2\x9b", "\xe2\x80\xae\x9b\x1b[31m\r\b\n"};
    pthread_t threads[2];
    kept[0] = malloc(3000);
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, allocate, names[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
