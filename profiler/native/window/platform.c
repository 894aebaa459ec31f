/* SPDX-License-Identifier: BSD-2-Clause */
#include "platform.h"

_Atomic uint32_t hpp__isolation;
