/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library with the name of a sanitizer.
 */
void __asan_init(void);
__attribute__((visibility("default"))) void __asan_init(void)
{
}
