/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cheapest possible service, for benches with thousands of them. Linked statically, so that the
 * loader's time is not measured.
 */
#include <unistd.h>

int main(void)
{
	for (;;)
		(void)pause(); /* it fails only when a signal ends the wait */
}
