/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cheapest service there is: what a bench starts by the thousand. Linked statically, so that the loader's time is
 * not measured.
 */
#include <unistd.h>

int main(void)
{
	for (;;)
		(void)pause(); /* its only error says that it is over */
}
