/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/margin.h"

#include <math.h>
#include <stdbool.h>

/* Half the width of an interval of 95 % of a normal distribution, in standard deviations. */
static const double deviations = 1.96;

double hpf_margin_weight(double size, double rate_bytes)
{
    return rate_bytes > 0 && size > 0 ? size / -expm1(-size / rate_bytes) : size;
}

/* w^2 (1 - p) is w s / (exp(s / M) - 1). */
double hpf_margin_variance(double bytes, double blocks, double rate_bytes)
{
    if (rate_bytes <= 0 || bytes <= 0) {
        return 0;
    }
    double size = blocks > 0 ? bytes / blocks : 0;
    double part = size / rate_bytes;
    return bytes * (part > 0 ? size / expm1(part) : rate_bytes);
}

/* The upper bound of a sum of few samples is that of a Poisson distribution with one more: Byar's
 * approximation (Breslow and Day, 1987, volume 2, chapter 2). */
double hpf_margin(double bytes, double variance, double rate_bytes)
{
    enum { FEW = 20 };
    bool is_estimate = rate_bytes > 0 && (variance > 0 || bytes <= 0);
    if (!is_estimate) {
        return 0;
    }
    if (bytes * bytes >= FEW * variance && bytes > 0) {
        return deviations * sqrt(variance);
    }
    double more = bytes + rate_bytes;
    double n = more * more / (variance + rate_bytes * rate_bytes);
    double root = 1 - 1 / (9 * n) + deviations / (3 * sqrt(n));
    return more * root * root * root - bytes;
}

double hpf_margin_of(double bytes, double blocks, double rate_bytes)
{
    return hpf_margin(bytes, hpf_margin_variance(bytes, blocks, rate_bytes), rate_bytes);
}
