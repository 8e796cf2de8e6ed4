/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshot: a header, then records, each with its type and size, so that an older or newer image can step over what it
 * does not know; a checksum over all of it.
 */
#include "config.h"

#include "keeper/snapshot.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/keeper.h"
#include "keeper/manager-link.h"
#include "keeper/shutdown.h"
#include "keeper/vault.h"
#include "keeper/watchdog.h"

#define SNAPSHOT_MAGIC 0x6b657065u
#define SNAPSHOT_VERSION 1

enum RecordType {
	RECORD_STATE = 1,
	RECORD_CHILD = 2,
	RECORD_NOTE = 3,
	RECORD_KEPT = 4,
	RECORD_WATCHDOG = 5,
	RECORD_MANAGER = 6,
};

struct TableHeader {
	uint32_t magic;
	uint32_t version;
	uint64_t size; /* of all, this header included */
	uint64_t checksum; /* with this field 0 */
};

struct RecordHeader {
	uint32_t type;
	uint32_t size; /* of the record, this header included; a multiple of 8 */
};

struct StateRecord {
	struct RecordHeader header;
	struct Keeper keeper;
	uint32_t generation;
	int32_t last_status;
	uint32_t shutdown_kind;
	uint32_t shutdown_left_ms;
};

struct ChildRecord {
	struct RecordHeader header;
	struct ProcessId id;
	uint64_t spawned_at_us;
	struct ChildExit exit;
	int32_t pid;
	uint32_t has_exited;
};

struct NoteRecord {
	struct RecordHeader header;
	char service[PROTOCOL_NAME_BYTES];
	char note[PROTOCOL_NOTE_BYTES];
};

struct KeptRecord {
	struct RecordHeader header;
	char name[PROTOCOL_KEEP_NAME_BYTES];
	int32_t fd;
	uint32_t reserved;
};

struct WatchdogRecord {
	struct RecordHeader header;
	char request[WATCHDOG_REQUEST_BYTES];
	int32_t fd; /* -1: it has not appeared yet */
	uint32_t reserved;
};

struct ManagerRecord {
	struct RecordHeader header;
	int32_t pid;
	uint32_t reserved;
};

struct Writer {
	char *buffer;
	size_t size;
	size_t used;
};

/* FNV-1a, 64 bits: each step is one-to-one, so any single changed byte changes the sum. */
static uint64_t checksum(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t sum = 14695981039346656037ull;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ at[i]) * 1099511628211ull;
	return sum;
}

static uint64_t table_checksum(const struct TableHeader *header, const char *records, size_t size)
{
	struct TableHeader h = *header;

	h.checksum = 0;
	return checksum(&h, sizeof(h)) * 31 + checksum(records, size);
}

static void put(struct Writer *w, const void *bytes, size_t size)
{
	if (w->buffer && w->used + size <= w->size)
		memcpy(w->buffer + w->used, bytes, size);
	w->used += size;
}

static void put_state(struct Writer *w)
{
	struct StateRecord r = {
		.header = { RECORD_STATE, sizeof(r) },
		.keeper = keeper,
		.generation = manager_link_generation(),
		.last_status = manager_link_last_status(),
		.shutdown_kind = shutdown_kind(),
		.shutdown_left_ms = shutdown_left_ms(keeper_now_us()),
	};

	put(w, &r, sizeof(r));
}

static void put_child(struct Writer *w, const struct Child *child)
{
	struct ChildRecord r = {
		.header = { RECORD_CHILD, sizeof(r) },
		.id = { .invocation = child->invocation, .role = child->role },
		.spawned_at_us = child->spawned_at_us,
		.exit = *child_exit(child),
		.pid = child->pid,
		.has_exited = child->flags & CHILD_EXITED ? 1 : 0,
	};

	(void)keeper_copy(r.id.service, sizeof(r.id.service), name_text(child->service));
	put(w, &r, sizeof(r));
}

static void put_vault(struct Writer *w, NameId id)
{
	struct NoteRecord note = { .header = { RECORD_NOTE, sizeof(note) } };
	struct KeptRecord kept = { .header = { RECORD_KEPT, sizeof(kept) }, .fd = vault_fd(id) };

	if (vault_note(id)) {
		(void)keeper_copy(note.service, sizeof(note.service), name_text(id));
		(void)keeper_copy(note.note, sizeof(note.note), vault_note(id));
		put(w, &note, sizeof(note));
	}
	if (kept.fd >= 0) {
		(void)keeper_copy(kept.name, sizeof(kept.name), name_text(id));
		put(w, &kept, sizeof(kept));
	}
}

static void put_watchdog(struct Writer *w)
{
	struct WatchdogRecord r = { .header = { RECORD_WATCHDOG, sizeof(r) }, .fd = watchdog_fd() };

	if (!watchdog_request()[0])
		return;
	(void)keeper_copy(r.request, sizeof(r.request), watchdog_request());
	put(w, &r, sizeof(r));
}

static void put_manager(struct Writer *w)
{
	struct ManagerRecord r = { .header = { RECORD_MANAGER, sizeof(r) }, .pid = manager_link_pid() };

	if (r.pid > 0)
		put(w, &r, sizeof(r));
}

size_t snapshot_encode(void *buffer, size_t size)
{
	struct Writer w = { .buffer = buffer, .size = size };
	struct TableHeader header = { .magic = SNAPSHOT_MAGIC, .version = SNAPSHOT_VERSION };

	put(&w, &header, sizeof(header));
	put_state(&w);
	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		put_child(&w, child);
	for (unsigned int id = 1; id <= name_last(); id++)
		put_vault(&w, (NameId)id);
	put_watchdog(&w);
	put_manager(&w);
	if (!buffer || w.used > size)
		return w.used;
	header.size = w.used;
	header.checksum = table_checksum(&header, w.buffer + sizeof(header), w.used - sizeof(header));
	memcpy(buffer, &header, sizeof(header));
	return w.used;
}

/* The next record after @at (begin with NULL), or NULL at the end or at one that is broken. */
static const struct RecordHeader *next_record(const char *buffer, size_t size, const struct RecordHeader *at)
{
	size_t offset = at ? (size_t)((const char *)at - buffer) + at->size : sizeof(struct TableHeader);
	const struct RecordHeader *r = (const void *)(buffer + offset);

	if (size - offset < sizeof(*r) || r->size < sizeof(*r) || r->size % 8 != 0 || r->size > size - offset)
		return NULL;
	return r;
}

static bool field_has_end(const char *field, size_t size)
{
	return memchr(field, '\0', size) != NULL;
}

/* Of a bool: anything else in its byte is no value of one. */
static bool byte_is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

/* What is written may be what a fault of ours has left; nothing of it may lead past the end of a field. */
static bool keeper_is_sane(const struct Keeper *k)
{
	if (!byte_is_bool(&k->is_pid1) || !byte_is_bool(&k->user_mode) || !byte_is_bool(&k->container) ||
	    !byte_is_bool(&k->has_reexeced))
		return false;
	if (k->n_words > KEEPER_MAX_WORDS || k->ping_ms == 0 || !field_has_end(k->cgroup_root, sizeof(k->cgroup_root)) ||
	    !field_has_end(k->virtualization, sizeof(k->virtualization)) ||
	    !field_has_end(k->manager_path, sizeof(k->manager_path)))
		return false;
	for (uint32_t i = 0; i < k->n_words; i++)
		if (!field_has_end(k->words[i], sizeof(k->words[i])))
			return false;
	return true;
}

static bool record_is_sane(const struct RecordHeader *r)
{
	const struct ChildRecord *child = (const void *)r;
	const struct NoteRecord *note = (const void *)r;
	const struct KeptRecord *kept = (const void *)r;
	const struct WatchdogRecord *watchdog = (const void *)r;

	switch (r->type) {
	case RECORD_STATE:
		return r->size == sizeof(struct StateRecord) && keeper_is_sane(&((const struct StateRecord *)(const void *)r)->keeper);
	case RECORD_CHILD:
		return r->size >= sizeof(*child) && process_id_is_valid(&child->id) && child->pid > 1;
	case RECORD_NOTE:
		return r->size >= sizeof(*note) && field_has_end(note->service, sizeof(note->service)) &&
		       field_has_end(note->note, sizeof(note->note));
	case RECORD_KEPT:
		return r->size >= sizeof(*kept) && field_has_end(kept->name, sizeof(kept->name)) &&
		       kept->fd > STDERR_FILENO;
	case RECORD_WATCHDOG:
		return r->size >= sizeof(*watchdog) && field_has_end(watchdog->request, sizeof(watchdog->request)) &&
		       (watchdog->fd == -1 || watchdog->fd > STDERR_FILENO);
	case RECORD_MANAGER:
		return r->size >= sizeof(struct ManagerRecord) && ((const struct ManagerRecord *)(const void *)r)->pid > 1;
	default:
		return true; /* from a newer image: stepped over */
	}
}

bool snapshot_check(const void *buffer, size_t size)
{
	struct TableHeader header;
	const struct RecordHeader *last = NULL;
	const char *bytes = buffer;

	if (size < sizeof(header))
		return false;
	memcpy(&header, buffer, sizeof(header));
	if (header.magic != SNAPSHOT_MAGIC || header.version != SNAPSHOT_VERSION || header.size != size)
		return false;
	if (header.checksum != table_checksum(&header, bytes + sizeof(header), size - sizeof(header)))
		return false;
	for (const struct RecordHeader *r = next_record(bytes, size, NULL); r; r = next_record(bytes, size, r)) {
		if ((last == NULL) != (r->type == RECORD_STATE) || !record_is_sane(r))
			return false; /* the state comes first, and once */
		last = r;
	}
	return last && (const char *)last + last->size == bytes + size;
}

static void apply_state(const struct StateRecord *r)
{
	bool is_pid1 = keeper.is_pid1;
	uint32_t n_crashes = keeper.n_crashes; /* the tables cannot know of those since they were written */

	keeper = r->keeper;
	keeper.is_pid1 = is_pid1;
	if (n_crashes > keeper.n_crashes) {
		keeper.n_crashes = n_crashes;
		keeper.last_crash_us = keeper_now_us();
	}
	keeper.user_mode = keeper.user_mode && !is_pid1;
	keeper.has_reexeced = true;
	manager_link_init(r->generation, r->last_status);
	shutdown_begin(r->shutdown_kind, r->shutdown_left_ms, keeper_now_us());
}

static void apply_child(const struct ChildRecord *r)
{
	struct Child *child = children_add(&r->id, r->pid, r->spawned_at_us);

	if (child && r->has_exited)
		child_restore_exited(child, &r->exit);
}

/*
 * What came through the exec closes itself at the next one from now on: so none is taken twice, nor one that is not there. But only when
 * it is ours: what is not would be lost if the tables had to be handed on.
 */
static void apply_kept(const struct KeptRecord *r)
{
	if (fcntl(r->fd, F_GETFD) != 0)
		say("the descriptor %s is not there any more", r->name);
	else if (vault_keep(r->name, r->fd) == 0) /* it fitted before */
		(void)fcntl(r->fd, F_SETFD, FD_CLOEXEC); /* cannot fail, it is open */
}

static void apply_record(const struct RecordHeader *r)
{
	switch (r->type) {
	case RECORD_STATE:
		apply_state((const void *)r);
		break;
	case RECORD_CHILD:
		apply_child((const void *)r);
		break;
	case RECORD_NOTE:
		(void)vault_set_note(((const struct NoteRecord *)(const void *)r)->service,
				     ((const struct NoteRecord *)(const void *)r)->note); /* it fitted before */
		break;
	case RECORD_KEPT:
		apply_kept((const void *)r);
		break;
	case RECORD_WATCHDOG:
		watchdog_take_over(((const struct WatchdogRecord *)(const void *)r)->request,
				   ((const struct WatchdogRecord *)(const void *)r)->fd);
		break;
	case RECORD_MANAGER:
		manager_link_end_old(((const struct ManagerRecord *)(const void *)r)->pid);
		break;
	default:
		break;
	}
}

void snapshot_apply(const void *buffer, size_t size)
{
	for (const struct RecordHeader *r = next_record(buffer, size, NULL); r; r = next_record(buffer, size, r))
		apply_record(r);
}

void snapshot_apply_memory(const void *buffer, size_t size)
{
	for (const struct RecordHeader *r = next_record(buffer, size, NULL); r; r = next_record(buffer, size, r))
		if (r->type == RECORD_STATE || r->type == RECORD_CHILD || r->type == RECORD_NOTE)
			apply_record(r);
}
