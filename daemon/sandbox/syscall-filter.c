/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filter: the tokens are stored as written, and resolved only when a filter is made.
 */
#include "config.h"

#include "sandbox/syscall-filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tokens/tokens.h"

/* Above the last errno of every processor (MIPS has the largest). */
#define ERRNO_MAX 1134

void syscall_filter_clear(struct SyscallTokens *tokens)
{
	free(tokens->items);
	*tokens = (struct SyscallTokens){ NULL, 0 };
}

/* @name: from the table, so it fits. Returns: 0 or ENOMEM. */
static int append(struct SyscallTokens *tokens, const char *name, bool is_inverted, int error)
{
	struct SyscallToken *token;

	/* Grows in powers of two. */
	if ((tokens->n & (tokens->n - 1)) == 0) {
		struct SyscallToken *items = reallocarray(
			tokens->items, tokens->n > 0 ? tokens->n * 2 : 1, sizeof(*items));

		if (!items)
			return ENOMEM;
		tokens->items = items;
	}
	token = &tokens->items[tokens->n++];
	*token = (struct SyscallToken){ .is_inverted = is_inverted, .error = error };
	strcpy(token->name, name);
	return 0;
}

int syscall_filter_read_error(const char *text, int *ret_error, struct Problem *problem)
{
	const size_t digits = strspn(text, "0123456789");
	const long number = digits > 0 && digits < 5 && !text[digits] ? strtol(text, NULL, 10) : 0;

	if (strcmp(text, "kill") == 0) {
		*ret_error = SYSCALL_ERROR_KILL;
		return 0;
	}
	for (int i = 1; i <= ERRNO_MAX; i++) {
		const char *name = strerrorname_np(i);

		if (number != i && (!name || strcmp(name, text) != 0))
			continue;
		*ret_error = i;
		return 0;
	}
	return problem_set(problem,
			   "\"%s\" is not an error; write its name, such as EPERM, or kill", text);
}

/* --- suggestions --- */

static int add_name(const char *name, void *data)
{
	return append(data, name, false, 0);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct SyscallToken *)a)->name,
		      ((const struct SyscallToken *)b)->name);
}

static int explain_unknown(const char *name, struct Problem *problem)
{
	const bool is_group = *name == '@';
	struct SyscallTokens known = { NULL, 0 };
	int error = is_group ? syscall_group_names(add_name, &known) :
			       syscall_group_foreach(SYSCALL_GROUP_KNOWN, add_name, &known);
	const char **names = calloc(known.n + 1, sizeof(*names));

	if (!error && names && !is_group)
		qsort(known.items, known.n, sizeof(*known.items), compare_names);
	for (size_t i = 0; names && i < known.n; i++)
		names[i] = known.items[i].name;
	(void)problem_unknown(problem, is_group ? "group of system calls" : "system call", name,
			      names);
	free(names);
	syscall_filter_clear(&known);
	return EINVAL;
}

/* --- lines --- */

static int add_token(struct SyscallTokens *tokens, const char *text, bool is_inverted,
		     struct Problem *problem)
{
	const char *colon = strchrnul(text, ':');
	char *name = strndup(text, (size_t)(colon - text));
	int number = 0;
	int error = name ? 0 : ENOMEM;

	if (!error && tokens->n >= TOKENS_MAX)
		error = problem_set(problem, "there are more than %d entries", TOKENS_MAX);
	if (!error && !syscall_is_known(name) && !syscall_group_exists(name))
		error = explain_unknown(name, problem);
	if (!error && *colon)
		error = syscall_filter_read_error(colon + 1, &number, problem);
	if (!error)
		error = append(tokens, name, is_inverted, number);
	if (error == ENOMEM)
		(void)problem_set(problem, "out of memory");
	free(name);
	return error;
}

int syscall_filter_add_line(struct SyscallTokens *tokens, const char *line, struct Problem *problem)
{
	const bool is_inverted = *line == '~';
	const char *reason;
	auto_tokens char **parts = tokens_split(line + is_inverted, &reason);
	int error = 0;

	if (!parts)
		return problem_set(problem, "%s", reason);
	if (!parts[0])
		return problem_set(
			problem,
			"write the names of system calls, or of groups such as @system-service");
	for (char **part = parts; *part && !error; part++)
		error = add_token(tokens, *part, is_inverted, problem);
	return error;
}

bool syscall_filter_is_allow_list(const struct SyscallTokens *tokens)
{
	return tokens->n > 0 && !tokens->items[0].is_inverted;
}

/* --- the calls --- */

/* The effect of one token on the list, for each of its calls. */
struct FilterChange {
	struct SyscallTokens *calls;
	bool adds; /* to the list */
	int error;
};

static int change_call(const char *name, void *data)
{
	const struct FilterChange *change = data;
	struct SyscallTokens *calls = change->calls;
	size_t i = 0;

	while (i < calls->n && strcmp(calls->items[i].name, name) != 0)
		i++;
	if (!change->adds && change->error == 0) {
		if (i < calls->n)
			calls->items[i] = calls->items[--calls->n];
		return 0;
	}
	if (i == calls->n)
		return append(calls, name, false, change->error);
	calls->items[i].error = change->error;
	return 0;
}

int syscall_filter_resolve(const struct SyscallTokens *tokens, struct SyscallTokens *ret_calls)
{
	const bool is_allow_list = syscall_filter_is_allow_list(tokens);
	int error = 0;

	if (is_allow_list)
		error = syscall_group_foreach(SYSCALL_GROUP_DEFAULT, change_call,
					      &(struct FilterChange){ .calls = ret_calls,
								      .adds = true });
	for (size_t i = 0; i < tokens->n && !error; i++) {
		const struct SyscallToken *token = &tokens->items[i];
		struct FilterChange change = { .calls = ret_calls,
					       .adds = token->is_inverted != is_allow_list,
					       .error = token->error };

		error = *token->name == '@' ?
				syscall_group_foreach(token->name, change_call, &change) :
				change_call(token->name, &change);
	}
	return error;
}
