/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: a header, then records, each with its type and size, so that an older or newer image can step over what it
 * does not know; a checksum over all of it. The table is read back before the exec: after it there is no way back.
 */
#include "config.h"

#include "keeper/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/keeper.h"
#include "keeper/manager-link.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/vault.h"
#include "keeper/watchdog.h"

#define REEXEC_MAGIC 0x6b657065u
#define REEXEC_VERSION 1

#define TRIAL_LIMIT_MS 3000
#define TRIAL_STEP_MS 10

#define MAP_TRIES 100
#define MAP_STEP_MS 100

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

/* What the installed program was worth when it was tried last. */
static struct {
	bool is_refused;
	int status; /* wait status, or -1 */
} trial;

/*
 * The tables that the image before has left to us, until they are in ours. A fault before that is not the end of them: they
 * are handed on as they are. Once: they may be what the fault comes from.
 */
static struct {
	int fd; /* -1: there are none, or they are in ours */
	bool is_again; /* an image before us had a fault over them */
} unread = { .fd = -1 };

/* How we are executed. */
struct Command {
	char tables[32];
	char faults[32];
	char refused[32];
	char *argv[8]; /* its end included */
	size_t argc;
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

size_t reexec_encode(void *buffer, size_t size)
{
	struct Writer w = { .buffer = buffer, .size = size };
	struct TableHeader header = { .magic = REEXEC_MAGIC, .version = REEXEC_VERSION };

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

bool reexec_check(const void *buffer, size_t size)
{
	struct TableHeader header;
	const struct RecordHeader *last = NULL;
	const char *bytes = buffer;

	if (size < sizeof(header))
		return false;
	memcpy(&header, buffer, sizeof(header));
	if (header.magic != REEXEC_MAGIC || header.version != REEXEC_VERSION || header.size != size)
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

void reexec_apply(const void *buffer, size_t size)
{
	for (const struct RecordHeader *r = next_record(buffer, size, NULL); r; r = next_record(buffer, size, r))
		apply_record(r);
}

/* All services are in them, so a moment without memory is waited out. */
static void *map_in_time(int fd, size_t size)
{
	for (int i = 0;; i++) {
		void *table = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (table != MAP_FAILED || errno != ENOMEM || i == MAP_TRIES)
			return table;
		if (i == 0)
			say("no memory to read the tables of the old image; trying again for ten seconds");
		(void)poll(NULL, 0, MAP_STEP_MS);
	}
}

/* Returns: the tables in @fd, to be unmapped; NULL if there are none (and says so). */
static void *map_tables(int fd, size_t *ret_size)
{
	struct stat st;
	void *table;

	if (fstat(fd, &st) < 0 || st.st_size <= 0) {
		say("no tables in descriptor %d", fd);
		return NULL;
	}
	table = map_in_time(fd, (size_t)st.st_size);
	if (table == MAP_FAILED) {
		say("cannot read the tables of the old image: %s", strerror(errno));
		return NULL;
	}
	*ret_size = (size_t)st.st_size;
	return table;
}

static bool is_child(pid_t pid)
{
	return waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/*
 * A row is of a child of ours that was not reaped, and a child has one. If a fault came between wait(2) and the row, how it ended is
 * lost; but nothing may be sent to its pid any more, for that may be another's by now.
 */
static void let_go_of_strangers(void)
{
	const struct ChildExit unknown = { .at_us = keeper_now_us() };

	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		if (!(child->flags & CHILD_EXITED) && (children_find_pid(child->pid) != child || !is_child(child->pid)))
			child_restore_exited(child, &unknown);
}

/* What was kept is known to nobody any more, and who waits for its end would wait for ever. A user's keeper has its lock there, too. */
static void begin_with_nothing(void)
{
	if (keeper.is_pid1)
		(void)close_range(STDERR_FILENO + 1, ~0u, 0);
}

void reexec_expect(int fd)
{
	unread.fd = fd;
}

void reexec_expect_again(void)
{
	unread.is_again = true;
}

void reexec_expect_faults(int n)
{
	keeper.n_crashes = n > 0 ? (uint32_t)n : 0;
	keeper.last_crash_us = keeper_now_us(); /* that is what we are here for */
}

/* Returns: whether the tables are ours now. */
static bool take_over(int fd)
{
	size_t size;
	void *table = map_tables(fd, &size);
	bool ok;

	if (!table)
		return false;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is open, and none of what was kept */
	ok = reexec_check(table, size);
	if (ok) {
		reexec_apply(table, size);
		vault_set_cloexec(true);
		let_go_of_strangers();
	} else {
		say("the tables of the old image are damaged or of another version: they are not used");
	}
	(void)munmap(table, size); /* cannot fail for a mapping we made */
	return ok;
}

bool reexec_resume(void)
{
	int fd = unread.fd;
	bool ok = fd >= 0 && take_over(fd);

	unread.fd = -1;
	if (fd > STDERR_FILENO)
		(void)close(fd); /* its contents are in our tables now, or useless */
	if (fd >= 0 && !ok)
		begin_with_nothing();
	return ok;
}

/* What is only memory is taken over, too: a fault over it is better had here. */
int reexec_try(int fd)
{
	size_t size;
	void *table = map_tables(fd, &size);

	if (!table || !reexec_check(table, size))
		return EXIT_FAILURE;
	for (const struct RecordHeader *r = next_record(table, size, NULL); r; r = next_record(table, size, r))
		if (r->type == RECORD_STATE || r->type == RECORD_CHILD || r->type == RECORD_NOTE)
			apply_record(r);
	return REEXEC_CAN_TAKE_OVER;
}

/* Returns: a memfd with the tables, checked; or -1. */
static int save(void)
{
	size_t size = reexec_encode(NULL, 0);
	int fd = memfd_create("svcd-tables", MFD_ALLOW_SEALING); /* not CLOEXEC: it is to survive */
	void *table = MAP_FAILED;
	bool ok = false;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (table != MAP_FAILED) {
		ok = reexec_encode(table, size) == size && reexec_check(table, size);
		(void)munmap(table, size); /* cannot fail for a mapping we made */
	}
	if (ok) {
		/* A program on trial has the descriptor too: what was checked stays as it is. */
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
		return fd;
	}
	say("cannot save the tables for a re-exec: %s", strerror(errno));
	if (fd >= 0)
		(void)close(fd); /* useless */
	return -1;
}

/* Returns: its wait status; -1 if it did not end in time. PID 1 has no manager now, and nothing else to do. */
static int wait_for_trial(pid_t pid)
{
	for (int ms = 0; ms < TRIAL_LIMIT_MS; ms += TRIAL_STEP_MS) {
		int wait_status;

		if (waitpid(pid, &wait_status, WNOHANG) == pid)
			return wait_status;
		(void)poll(NULL, 0, TRIAL_STEP_MS); /* all signals are blocked: only time ends it */
	}
	(void)kill(pid, SIGKILL); /* unreaped, so it is there; the loop reaps it */
	return -1;
}

/*
 * After execve(2) there is no way back: a half installed program, one whose libraries are missing or one that does not
 * know our tables would be the end of the machine, or of what we know. So it is tried first, in a process of its own.
 */
static bool can_take_over(const char *path, int fd)
{
	char program[] = SVCD_SBINDIR "/svcd";
	char option[] = "--try-tables=3"; /* PROTOCOL_LINK_FD: where the first inherited descriptor is */
	char *argv[] = { program, option, NULL };
	struct SpawnRequest r;
	int wait_status = -1;
	pid_t pid;

	spawn_request_init(&r);
	r.argv = argv;
	r.environment = environ;
	r.inherited[0] = fd;
	r.n_inherited = 1;
	pid = spawn_process(&r);
	if (pid > 0)
		wait_status = wait_for_trial(pid);
	if (wait_status >= 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == REEXEC_CAN_TAKE_OVER)
		return true;
	reexec_set_refusal(wait_status);
	say("%s cannot take over; executing the program that runs already", path);
	return false;
}

bool reexec_refusal(int *ret_status)
{
	*ret_status = trial.status;
	return trial.is_refused;
}

void reexec_set_refusal(int status)
{
	trial.is_refused = true;
	trial.status = status;
}

static void add_word(struct Command *c, char *word)
{
	c->argv[c->argc++] = word;
}

static void command_init(struct Command *c, int tables_fd, bool is_after_fault)
{
	static char name[] = "svcd";
	static char user[] = "--user";

	*c = (struct Command){ .argc = 0 };
	(void)snprintf(c->tables, sizeof(c->tables), "--reexec=%d", tables_fd);
	(void)snprintf(c->faults, sizeof(c->faults), "--faults=%u", (unsigned int)keeper.n_crashes);
	add_word(c, name);
	add_word(c, c->tables);
	if (keeper.user_mode)
		add_word(c, user);
	if (is_after_fault)
		add_word(c, c->faults);
}

/* The program that runs already. */
static void execute_ourselves(struct Command *c)
{
	(void)snprintf(c->refused, sizeof(c->refused), "--refused=%d", trial.status);
	if (trial.is_refused)
		add_word(c, c->refused);
	(void)execve("/proc/self/exe", c->argv, environ);
}

/* The installed binary first: it may be newer than we are. In user mode only what the user runs. */
static void execute(struct Command *c, int fd)
{
	static const char installed[] = SVCD_SBINDIR "/svcd";

	shutdown_signal_again();
	if (!keeper.user_mode && can_take_over(installed, fd))
		(void)execve(installed, c->argv, environ);
	execute_ourselves(c);
}

static void let_through_exec(bool yes)
{
	vault_set_cloexec(!yes);
	watchdog_set_cloexec(!yes);
}

/* Returns only if it cannot. */
static void execute_with_ours(bool is_after_fault)
{
	struct Command c;
	int fd = save();

	if (fd < 0)
		return;
	command_init(&c, fd, is_after_fault);
	let_through_exec(true);
	execute(&c, fd);
	say("cannot execute myself again: %s; going on as I am", strerror(errno));
	let_through_exec(false);
	(void)close(fd); /* useless now */
}

void reexec_now(void)
{
	execute_with_ours(false);
}

/* What is not taken over yet is still as it came; what is goes on with it. Returns only if it cannot. */
static void hand_on(int fd)
{
	static char again[] = "--again";
	struct Command c;

	command_init(&c, fd, true);
	add_word(&c, again);
	(void)fcntl(fd, F_SETFD, 0); /* if it is none the next image says so */
	let_through_exec(true);
	execute_ourselves(&c);
	say("cannot execute myself again: %s", strerror(errno));
}

void reexec_after_fault(void)
{
	if (unread.fd >= 0 && !unread.is_again) {
		say("the tables are not read yet: the next one is to read them");
		hand_on(unread.fd);
		return;
	}
	if (unread.fd >= 0 && keeper.is_pid1)
		(void)close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC); /* what is not ours by now will be nobody's */
	execute_with_ours(true);
}
