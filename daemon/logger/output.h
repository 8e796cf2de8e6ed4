/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: the log channel of one command of a service (base/channel.h).
 *
 * Bytes are peeked at, written to the file, and only then taken out of the channel: a logger that is killed in between leaves them
 * there for the next one. So every line is written at least once, and the last block before a kill may be there twice. What is not
 * a whole line yet stays in the channel.
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
	char *bytes; /* OUTPUT_BLOCK_BYTES */
	Syslog *syslog;
} OutputContext;

/* Peeked at in one turn. */
#define OUTPUT_BLOCK_BYTES (64 * 1024)

/* Half a line is written as it is after this time: it may be a prompt. */
#define OUTPUT_PARTIAL_US (2 * G_USEC_PER_SEC)

/* A writer of single bytes fills the channel with fewer than a line may have, and waits. So more than these wait for a shorter time. */
#define OUTPUT_PARTIAL_BYTES 512
#define OUTPUT_LONG_PARTIAL_US (200 * G_TIME_SPAN_MILLISECOND)

/* A directory that could not be opened is tried again after this time. */
#define OUTPUT_TRY_US (1 * G_USEC_PER_SEC)

typedef struct Output {
	OutputContext *context;
	char *service;
	guint64 serial;        /* of the channel */
	int fd;
	int64_t partial_at_us; /* when the half line in the channel is to be written; 0: there is none */
	size_t partial_bytes;
	GQueue *waits_in;      /* the main loop's: one of its lists of those to be read again ... */
	bool is_ending;        /* ... to the last byte */
	bool is_hung_up;       /* every writer has closed it, so there is an end to what there is to read */
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
	OUTPUT_REFUSED, /* descriptors were sent: all up to them is written, and it is to be closed by another process */
} OutputResult;

/* @fd: taken */
Output *output_new(OutputContext *context, const char *service, uint64_t serial, int fd);
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
void output_context_init(OutputContext *context, const char *directory);
void output_context_clear(OutputContext *context);

#endif
