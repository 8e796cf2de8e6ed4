/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: makes the given number of dead children, waits for a byte on its standard input, and
 * exits: all of them become PID 1's at the same moment. None outlives its fork, so the storm is not
 * larger than the argument.
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
	(void)fflush(stdout); /* a caller without it gives up */
	n_read = read(STDIN_FILENO, &byte, 1);
	return n_read == 1 ? 0 : 1;
}
