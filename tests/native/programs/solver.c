/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A parallel program: each process keeps 100,000 bytes more than the one before. Compiled by the
 * test, with mpicc.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void *keep_part(int rank)
{
    return calloc((size_t)rank + 1, 100000);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *part = keep_part(rank);
    memset(part, 1, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return part[0] != 1;
}
