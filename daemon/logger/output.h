/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: the pipe of one invocation of a service.
 *
 * Bytes are looked at with tee(2), written to the file, and only then taken out of the pipe: whoever is killed in
 * between leaves them there for the next logger. So every line is written at least once; the last block before a kill
 * may be there twice. What is not a whole line yet stays in the pipe.
 */
#ifndef SVCD_LOGGER_OUTPUT_H
#define SVCD_LOGGER_OUTPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "logger/syslog.h"

/* What all outputs share. */
typedef struct OutputContext {
	const char *directory;
	int directory_fd;     /* -1: it cannot be had */
	int directory_error;  /* then why */
	int64_t next_try_us;  /* and when to try again */
	int scratch_read; /* both ends of an empty pipe */
	int scratch_write;
	char *bytes; /* OUTPUT_BLOCK_BYTES */
	Syslog *syslog;
} OutputContext;

/* Looked at in one turn: what a pipe holds by default. */
#define OUTPUT_BLOCK_BYTES (64 * 1024)

/* Half a line is written as it is after this time: somebody may be looking at a prompt. */
#define OUTPUT_PARTIAL_US (2 * G_USEC_PER_SEC)

/* A directory that could not be opened is tried again after this time. */
#define OUTPUT_TRY_US (1 * G_USEC_PER_SEC)

typedef struct Output {
	OutputContext *context;
	char *service;
	uint64_t invocation;
	int fd;
	int64_t partial_at_us; /* when the half line in the pipe is to be written; 0: there is none */
	size_t partial_bytes;
	GQueue *waits_in;      /* the main loop's: one of its lists of those to be read again ... */
	bool is_ending;        /* ... to the last byte */
	bool is_hung_up;       /* nobody can write to it, so there is an end to what there is to read */
	int64_t credit;        /* what may be written before it is a flood; see LIMIT_LOG_BURST_BYTES */
	int64_t credit_at_us;
	int64_t cost;          /* of the last output_read() */
	unsigned n_lost;       /* lines that the disk did not take */
	int lost_error;
} Output;

typedef enum OutputResult {
	OUTPUT_WAIT, /* nothing more now */
	OUTPUT_MORE, /* come again in the next turn */
	OUTPUT_END,  /* every writer has closed it, and all is written */
} OutputResult;

/* @fd: taken */
Output *output_new(OutputContext *context, const char *service, uint64_t invocation, int fd);
void output_free(Output *output);

/**
 * output_read() - write what has come
 * @all: half a line too: the writers are gone, or its time is up
 */
OutputResult output_read(Output *output, bool all, int64_t now_us);

/* Has more been written of late than a service may have at any time? It is to wait for its turn. */
bool output_is_flood(Output *output, int64_t now_us);

/**
 * output_append() - lines to the end of a service's file
 * Returns: 0, or the errno that says why they are not there.
 */
int output_append(OutputContext *context, const char *service, const char *text, size_t length);

/* @directory: borrowed. That it cannot be written to is no failure: it is tried again. */
bool output_context_init(OutputContext *context, const char *directory, GError **error);
void output_context_clear(OutputContext *context);

#endif
