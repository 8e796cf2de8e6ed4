/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: makes the given number of zombie children, waits for a byte on its standard input, and
 * exits. PID 1 then inherits all of them at the same moment. Each child exits at once, so there are
 * never more processes than the argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	long n_made = 0;
	char byte;
	ssize_t n_read;

	for (; n_made < n; n_made++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child < 0)
			break;
	}
	printf("%ld\n", n_made);
	(void)fflush(stdout); /* a caller that does not receive it gives up */
	n_read = read(STDIN_FILENO, &byte, 1);
	return n_read == 1 ? 0 : 1;
}
