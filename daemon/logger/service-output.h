/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service output: the log channel of one command of a service (base/channel.h).
 *
 * Bytes are peeked at, written to the file, and only then taken out of the channel. If a logger is
 * killed in between, the next one finds the bytes in the channel. So every line is written at least
 * once, and the last block before a kill may be written twice. An incomplete line stays in the
 * channel.
 */
#ifndef SVCD_LOGGER_SERVICE_OUTPUT_H
#define SVCD_LOGGER_SERVICE_OUTPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "logger/syslog.h"

typedef struct ServiceOutputContext {
	const char *directory;
	int directory_fd; /* -1: it cannot be opened */
	int directory_error; /* the reason, if it cannot be opened */
	int64_t next_try_us; /* the time of the next attempt to open it */
	char *bytes; /* OUTPUT_BLOCK_BYTES */
	Syslog *syslog;
} ServiceOutputContext;

/* The number of bytes that are peeked at per turn. */
#define OUTPUT_BLOCK_BYTES (64 * 1024)

/* A half line is written after this time, because it may be a prompt. */
#define OUTPUT_PARTIAL_US (2 * G_USEC_PER_SEC)

/*
 * A writer of single bytes fills the channel with fewer bytes than a line may have, and then
 * blocks. So a half line that is longer than this is written sooner.
 */
#define OUTPUT_PARTIAL_BYTES 512
#define OUTPUT_LONG_PARTIAL_US (200 * G_TIME_SPAN_MILLISECOND)

/* A directory that could not be opened is tried again after this time. */
#define OUTPUT_TRY_US (1 * G_USEC_PER_SEC)

typedef struct ServiceOutput {
	ServiceOutputContext *context;
	char *service;
	guint64 serial; /* the number of the channel */
	int fd;
	int64_t partial_at_us; /* when the half line in the channel is due; 0: there is none */
	size_t partial_bytes;
	GQueue *waits_in; /* one of the main loop's lists of outputs to read again ... */
	bool is_ending; /* ... to the last byte */
	bool is_hung_up; /* every writer has closed the channel, so the data has an end */
	/*
	 * bytes that may be written before the output counts as a flood; see LIMIT_LOG_BURST_BYTES
	 */
	int64_t credit;
	int64_t credit_at_us;
	int64_t cost; /* cost of the last service_output_read() */
	unsigned n_lost; /* lines for which the disk had no room */
	int lost_error;
} ServiceOutput;

typedef enum ServiceOutputResult {
	OUTPUT_WAIT, /* there is nothing more now */
	OUTPUT_MORE, /* read again in the next turn */
	OUTPUT_END, /* every writer has closed the channel, and everything is written */
	/*
	 * descriptors were sent: everything before them is written, and another process must close
	 * the channel
	 */
	OUTPUT_REFUSED,
} ServiceOutputResult;

/* @fd: taken */
ServiceOutput *service_output_new(ServiceOutputContext *context, const char *service,
				  uint64_t serial, int fd);
void service_output_free(ServiceOutput *output);

/**
 * service_output_read() - write the new bytes
 * @all: write a half line as well, because the writers are gone or the half line is due
 */
ServiceOutputResult service_output_read(ServiceOutput *output, bool all, int64_t now_us);

/*
 * Was more written recently than a service may write in a burst? Such an output waits for its turn.
 */
bool service_output_is_flood(ServiceOutput *output, int64_t now_us);

/**
 * service_output_append() - append lines to a service's file
 * Returns: 0, or the errno of the failure.
 */
int service_output_append(ServiceOutputContext *context, const char *service, const char *text,
			  size_t length);

/* @directory: borrowed. If it cannot be opened, that is tried again later. */
void service_output_context_init(ServiceOutputContext *context, const char *directory);
void service_output_context_clear(ServiceOutputContext *context);

#endif
