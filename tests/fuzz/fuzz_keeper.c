/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: PID 1 itself, its real loop and tables, with a manager that says anything, services that end at any time, and
 * a world that refuses now and then (keeper-world.c).
 *
 * The input is a list of acts. Whenever PID 1 would sleep, what it holds is compared with the world: each process of a
 * service has its row, nothing is lost that nobody took back, no signal has gone to somebody else, no descriptor is lost, and
 * it comes to rest. In the end a next manager must be told exactly what there is, and take all of it back.
 */
#include "config.h"

/* Its loop() is what this is about; its main() is not. */
int svcd_main(int argc, char **argv);
#define main svcd_main
#include "keeper/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <setjmp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "keeper/finale.h"
#include "keeper/names.h"
#include "keeper/telling.h"
#include "keeper/vault.h"
#include "tests/fuzz/datagram.h"
#include "tests/fuzz/keeper-world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SHORT_OF_A_POOL 63 /* a byte more goes to the long notes */
#define MOST_ROWS 512
#define MOST_OPEN 512

enum Phase {
	PHASE_ACTS,   /* of the input */
	PHASE_LEAVE,  /* the manager leaves, so that there is a next one */
	PHASE_REPLAY, /* which is told all */
	PHASE_CLEAR,  /* and takes it back */
	PHASE_LAST,   /* no further one comes */
};

enum Leap { LEAP_NONE, LEAP_IMAGE, LEAP_FINALE, LEAP_END };

static const uint8_t *input;
static size_t input_left;
static enum Phase phase;
static jmp_buf out_of_loop;
static uint64_t last_serial;
static bool is_short_of_fds;
static bool ended_machine; /* in the middle of something: what that held is lost with the machine */

/* Descriptors that a manager may send, beside its own end of the link. (For more sockets the kernel's collector takes its time.) */
static int sendable[4];

static uint8_t take(void)
{
	if (input_left == 0)
		return 0;
	input_left--;
	return *input++;
}

static uint32_t take32(void)
{
	const uint32_t high = take();

	return high < 0xf0 ? high : high << 24 | (uint32_t)take() << 8 | take();
}

/* --- names --- */

#define LONG_24 "systemd-udevd/log/12345x"
#define LONG_48 LONG_24 LONG_24
#define LONG_192 LONG_48 LONG_48 LONG_48 LONG_48

static const char *const names[] = {
	"a", "b", "ssh", ".logger", ".", "", "a/log/0", "a b\n%s%n", "systemd-udevd/log/1234", LONG_24, LONG_24 "systemd-udevd/log/12345",
	LONG_48, LONG_192 "15 more bytes..", LONG_192 "16 more bytes...", LONG_192 "longer than any field has room", "\x80\xff",
};

static bool was_released[G_N_ELEMENTS(names)];  /* a row of it was acknowledged */
static bool was_forgotten[G_N_ELEMENTS(names)]; /* its note, or its descriptor */

/* Into a field that may be too short for its end. */
static void put_name(char *field, size_t size, unsigned int n)
{
	const char *name = names[n % G_N_ELEMENTS(names)];

	memcpy(field, name, MIN(strlen(name) + 1, size));
}

static int index_of_name(const char *name)
{
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static void mark(bool *marks, const char *field, size_t size)
{
	g_autofree char *name = g_strndup(field, size);
	const int n = index_of_name(name);

	if (n >= 0)
		marks[n] = true;
}

/* --- what PID 1 holds --- */

typedef struct Row {
	struct ProcessId id;
	pid_t pid;
	bool has_exited;
	struct ChildExit exit;
} Row;

typedef struct Holdings {
	size_t n_rows;
	Row rows[MOST_ROWS];
	bool has_note[G_N_ELEMENTS(names)];
	char notes[G_N_ELEMENTS(names)][PROTOCOL_NOTE_BYTES];
	int fds[G_N_ELEMENTS(names)];
	uint32_t n_notes;
	uint32_t n_fds;
} Holdings;

static Holdings before;

static void row_of_child(Row *row, const struct Child *child)
{
	*row = (Row){ .pid = child->pid, .has_exited = child->flags & CHILD_EXITED };
	g_assert(keeper_copy(row->id.service, sizeof(row->id.service), name_text(child->service)));
	row->id.invocation = child->invocation;
	row->id.role = child->role;
	if (row->has_exited)
		row->exit = *child_exit(child);
}

static void look_at_names(Holdings *now)
{
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++) {
		const NameId id = name_find(names[i]);
		const char *note = id ? vault_note(id) : NULL;

		now->has_note[i] = note;
		if (note)
			(void)keeper_copy(now->notes[i], sizeof(now->notes[i]), note);
		now->fds[i] = id ? vault_fd(id) : -1;
	}
	now->n_notes = vault_n_notes();
	now->n_fds = vault_n_fds();
}

static void look(Holdings *now)
{
	now->n_rows = 0;
	for (struct Child *child = children_next(NULL); child && now->n_rows < MOST_ROWS; child = children_next(child))
		row_of_child(&now->rows[now->n_rows++], child);
	look_at_names(now);
}

static void check_row(struct Child *child)
{
	const struct WorldProcess *process = world_find(child->pid);
	Row row;

	row_of_child(&row, child);
	g_assert(children_find(&row.id) == child);
	if (row.has_exited) {
		g_assert(children_find_pid(child->pid) != child);
		return;
	}
	g_assert(children_find_pid(child->pid) == child);
	g_assert(process && (process->kind == WORLD_SERVICE || process->kind == WORLD_ORPHAN));
}

static void check_children(void)
{
	uint32_t n = 0;

	for (struct Child *child = children_next(NULL); child; child = children_next(child), n++)
		check_row(child);
	g_assert(n == children_count());
	for (size_t i = 0; i < WORLD_PROCESSES; i++) {
		const struct WorldProcess *process = &world.processes[i];

		if (!process->pid)
			continue;
		g_assert(!process->is_dead); /* or it has slept over a dead child */
		g_assert(process->kind != WORLD_SERVICE || process->is_killed || children_find_pid(process->pid));
	}
}

static void check_vault(void)
{
	uint32_t n_notes = 0;
	uint32_t n_fds = 0;

	for (unsigned int id = 1; id <= name_last(); id++) {
		const bool has_note = vault_note((NameId)id);
		const bool has_fd = vault_fd((NameId)id) >= 0;

		n_notes += has_note;
		n_fds += has_fd;
		if (has_note || has_fd)
			g_assert(name_find(name_text((NameId)id)) == id);
		if (has_note)
			g_assert(*vault_note((NameId)id) && strlen(vault_note((NameId)id)) < PROTOCOL_NOTE_BYTES);
		if (has_fd)
			g_assert(fcntl(vault_fd((NameId)id), F_GETFD) == FD_CLOEXEC);
	}
	g_assert(n_notes == vault_n_notes() && n_fds == vault_n_fds());
}

/* What was there is there, unless it was taken back. */
static void check_nothing_is_lost(void)
{
	for (size_t i = 0; i < before.n_rows; i++) {
		const int n = index_of_name(before.rows[i].id.service);

		if (n >= 0 && !was_released[n])
			g_assert(children_find(&before.rows[i].id));
	}
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++) {
		const NameId id = name_find(names[i]);

		if (was_forgotten[i])
			continue;
		g_assert(!before.has_note[i] || (id && vault_note(id)));
		g_assert(before.fds[i] < 0 || (id && vault_fd(id) >= 0));
	}
}

static void check(void)
{
	check_children();
	check_vault();
	check_nothing_is_lost();
	look(&before);
}

/* --- what a manager says --- */

typedef struct Datagram {
	char bytes[PROTOCOL_MESSAGE_BYTES + 256];
	size_t size;
	int fds[DATAGRAM_MOST_FDS];
	size_t n_fds;
} Datagram;

static void put(Datagram *d, const void *bytes, size_t size)
{
	if (d->size + size > PROTOCOL_MESSAGE_BYTES)
		return;
	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
}

static void put_fds(Datagram *d, size_t n)
{
	for (; n > 0 && d->n_fds < DATAGRAM_MOST_FDS; n--) {
		const uint8_t which = take();

		d->fds[d->n_fds++] = which == 0xff && world.link_fd >= 0 ? world.link_fd : sendable[which % G_N_ELEMENTS(sendable)];
	}
}

/* Mostly of a row that there is. */
static void fill_id(struct ProcessId *id)
{
	const uint8_t choice = take();
	struct Child *child = NULL;

	for (unsigned int n = choice % 64; choice >= 0x60 && children_count() > 0 && n <= choice % 64; n--)
		child = children_next(child);
	if (child) {
		Row row;

		row_of_child(&row, child);
		*id = row.id;
		return;
	}
	put_name(id->service, sizeof(id->service), choice);
	id->role = choice >= 0xf0 ? take32() : choice >> 4 & 3;
	id->invocation = take() & 3;
}

static void fill_note(char *note)
{
	static const uint8_t lengths[] = { 0, 1, 20, SHORT_OF_A_POOL, SHORT_OF_A_POOL + 1, 126, 127, 128 };
	const uint8_t length = lengths[take() % G_N_ELEMENTS(lengths)];

	memset(note, 'n', length);
}

static void fill_spawn(struct MessageSpawn *m, uint8_t deviation)
{
	fill_id(&m->id);
	fill_note(m->note);
	m->flags = (uint32_t)take() | (uint32_t)(take() & 3) << 8;
	m->n_groups = take() % 8 == 0 ? take32() : 0;
	m->n_rlimits = take() % 8 == 0 ? take32() : 0;
	m->n_inherited = take() % 4 == 0 ? take32() : 0;
	m->argc = deviation == 1 ? take32() : 1u + take() % 3u;
	m->envc = deviation == 2 ? take32() : take() % 3u;
}

static void put_spawn(Datagram *d)
{
	static const char *const words[] = { "/bin/x", "", "x", "A=b" };
	const uint8_t deviation = take() % 16;
	struct MessageSpawn m = { .header = { .type = MESSAGE_SPAWN } };
	const size_t start = d->size;
	size_t n_fds;

	fill_spawn(&m, deviation);
	put(d, &m, sizeof(m));
	for (uint32_t i = 0; i < m.n_groups && i < 80; i++)
		put(d, &i, sizeof(i));
	for (uint32_t i = 0; i < m.n_rlimits && i < 20; i++)
		put(d, &(struct SpawnRlimit){ .resource = i }, sizeof(struct SpawnRlimit));
	if (m.flags & SPAWN_SET_DIRECTORY)
		put(d, "/", 2);
	for (uint32_t i = 0; i < m.argc + m.envc && i < 4000; i++) {
		const char *word = words[i == 0 && deviation != 3 ? 0 : (i + deviation) % G_N_ELEMENTS(words)];

		put(d, word, strlen(word) + 1);
	}
	n_fds = (m.flags & SPAWN_STDIO ? 3u : 0u) + (m.flags & SPAWN_CGROUP ? 1u : 0u) + (m.flags & SPAWN_STATUS ? 1u : 0u) +
		m.n_inherited;
	put_fds(d, deviation == 4 ? take() % DATAGRAM_MOST_FDS : n_fds);
	((struct MessageHeader *)(void *)(d->bytes + start))->size = (uint32_t)(d->size - start);
}

static void put_ack(Datagram *d)
{
	struct MessageAck m = { .header = { MESSAGE_ACK, sizeof(m) } };

	fill_id(&m.id);
	fill_note(m.note);
	mark(was_released, m.id.service, sizeof(m.id.service));
	put(d, &m, sizeof(m));
}

static void put_note(Datagram *d)
{
	struct MessageNote m = { .header = { MESSAGE_NOTE, sizeof(m) } };

	put_name(m.service, sizeof(m.service), take());
	fill_note(m.note);
	if (!m.note[0])
		mark(was_forgotten, m.service, sizeof(m.service));
	put(d, &m, sizeof(m));
}

static void put_signal(Datagram *d)
{
	struct MessageSignal m = { .header = { MESSAGE_SIGNAL, sizeof(m) } };

	fill_id(&m.id);
	m.signo = (int32_t)take32();
	put(d, &m, sizeof(m));
}

static pid_t some_pid(uint8_t choice)
{
	static const pid_t others[] = { 0, 1, -1, 999, INT32_MIN, INT32_MAX };
	const struct WorldProcess *process = world_pick(choice % 4 == 1 ? WORLD_SERVICE : choice % 4 == 2 ? WORLD_MANAGER : WORLD_ORPHAN,
							choice >> 2);

	return process && choice < 0xf0 ? process->pid : others[choice % G_N_ELEMENTS(others)];
}

static void put_adopt(Datagram *d)
{
	struct MessageAdopt m = { .header = { MESSAGE_ADOPT, sizeof(m) } };

	fill_id(&m.id);
	m.pid = some_pid(take());
	put(d, &m, sizeof(m));
}

static void put_keep(Datagram *d)
{
	struct MessageKeep m = { .header = { MESSAGE_KEEP, sizeof(m) } };
	const uint8_t choice = take();

	put_name(m.name, sizeof(m.name), choice);
	put(d, &m, sizeof(m));
	put_fds(d, choice >= 0xf0 ? take() % 4 : 1);
}

static void put_forget(Datagram *d)
{
	struct MessageKeep m = { .header = { MESSAGE_FORGET, sizeof(m) } };

	put_name(m.name, sizeof(m.name), take());
	mark(was_forgotten, m.name, sizeof(m.name));
	put(d, &m, sizeof(m));
}

static void put_shutdown(Datagram *d)
{
	struct MessageShutdown m = { .header = { MESSAGE_SHUTDOWN, sizeof(m) } };

	m.kind = take32();
	m.deadline_ms = take32();
	put(d, &m, sizeof(m));
}

static void put_finale(Datagram *d)
{
	struct MessageShutdown m = { .header = { MESSAGE_FINALE, sizeof(m) } };

	m.kind = take32();
	if (take() == 0xee) /* it ends all, so seldom */
		put(d, &m, sizeof(m));
}

static void put_reexec(Datagram *d)
{
	const struct MessageReexec m = { .header = { MESSAGE_REEXEC, sizeof(m) } };

	put(d, &m, sizeof(m));
}

static void put_hello(Datagram *d)
{
	const struct MessageHello m = { .header = { MESSAGE_HELLO, sizeof(m) }, .version = take32() };

	put(d, &m, sizeof(m));
}

static void put_pong(Datagram *d)
{
	const struct MessagePing m = { .header = { MESSAGE_PONG, sizeof(m) }, .serial = take() < 0xf0 ? last_serial : take32() };

	put(d, &m, sizeof(m));
}

static void put_say(Datagram *d)
{
	struct MessageSay m = { .header = { MESSAGE_SAY, sizeof(m) } };

	memset(m.text, take(), sizeof(m.text));
	put(d, &m, sizeof(m));
}

static void put_anything(Datagram *d)
{
	size_t n = take() % 64;
	char bytes[64];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)take();
	put(d, bytes, n);
	put_fds(d, take() % 4);
}

static void (*const messages[])(Datagram *d) = {
	put_spawn, put_spawn, put_spawn, put_ack, put_ack, put_note, put_note, put_signal, put_adopt, put_keep, put_keep,
	put_forget, put_hello, put_pong, put_pong, put_shutdown, put_finale, put_reexec, put_say, put_anything,
};

static void put_message(Datagram *d)
{
	messages[take() % G_N_ELEMENTS(messages)](d);
}

static void put_batch(Datagram *d)
{
	const struct MessageHeader header = { MESSAGE_BATCH, sizeof(header) };

	put(d, &header, sizeof(header));
	for (int n = 1 + take() % 8; n > 0; n--) {
		struct BatchRecord record = { 0 };
		const size_t start = d->size;
		const size_t n_fds = d->n_fds;

		put(d, &record, sizeof(record));
		put_message(d);
		while (d->size % 8)
			put(d, "", 1);
		record.n_fds = (uint32_t)(d->n_fds - n_fds);
		if (d->size >= start + sizeof(record))
			memcpy(d->bytes + start, &record, sizeof(record));
	}
}

/* Any name in it may have been meant by it. */
static void mark_all_names(const Datagram *d)
{
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++)
		if (*names[i] && memmem(d->bytes, d->size, names[i], strlen(names[i])))
			was_released[i] = was_forgotten[i] = true;
}

static void damage(Datagram *d)
{
	const uint8_t choice = take();

	if (choice < 0xc0 || d->size == 0)
		return;
	for (int n = choice % 4; n > 0; n--) {
		const size_t at = ((size_t)take() << 8 | take()) % d->size;

		d->bytes[at] = (char)take();
	}
	if (choice % 8 == 7)
		d->size = ((size_t)take() << 8 | take()) % d->size;
	mark_all_names(d);
}

static void send_datagram(const Datagram *d)
{
	if (world.link_fd >= 0)
		(void)datagram_send(world.link_fd, d->bytes, d->size, d->fds, d->n_fds); /* full: it is not said, then */
}

static void say_one(void)
{
	static Datagram d;

	d.size = d.n_fds = 0;
	put_message(&d);
	damage(&d);
	send_datagram(&d);
}

static void say_batch(void)
{
	static Datagram d;

	d.size = d.n_fds = 0;
	put_batch(&d);
	mark_all_names(&d); /* where it ends early what is marked was not said: that is no harm */
	damage(&d);
	send_datagram(&d);
}

static void say_many(void)
{
	for (int n = take(); n > 0 && input_left > 0; n--)
		say_one();
}

/* --- what a manager hears --- */

typedef struct Told {
	unsigned int n_spawned;
	unsigned int n_exited;
	unsigned int n_notes;
	unsigned int n_kept;
	bool has_replayed;
	struct MessageReplayed replayed;
	struct MessageWelcome welcome;
} Told;

static Told told;

typedef union Heard {
	struct MessageHeader header;
	struct MessageWelcome welcome;
	struct MessagePing ping;
	struct MessageSpawned spawned;
	struct MessageExited exited;
	struct MessageNote note;
	struct MessageKeep kept;
	struct MessageReplayed replayed;
	char bytes[PROTOCOL_MESSAGE_BYTES];
} Heard;

static void on_heard(const Heard *m)
{
	switch (m->header.type) {
	case MESSAGE_WELCOME:
		told = (Told){ .welcome = m->welcome };
		break;
	case MESSAGE_PING:
		last_serial = m->ping.serial;
		break;
	case MESSAGE_SPAWNED:
		g_assert(m->spawned.error >= 0 && strnlen(m->spawned.id.service, PROTOCOL_NAME_BYTES) <= PROTOCOL_NAME_BYTES);
		told.n_spawned += m->spawned.error == 0;
		break;
	case MESSAGE_EXITED:
		g_assert(process_id_is_valid(&m->exited.id));
		told.n_exited++;
		break;
	case MESSAGE_NOTE:
		g_assert(m->note.service[0] && m->note.note[0]);
		told.n_notes++;
		break;
	case MESSAGE_KEPT:
		g_assert(m->kept.name[0]);
		told.n_kept++;
		break;
	case MESSAGE_REPLAYED:
		told.replayed = m->replayed;
		told.has_replayed = true;
		break;
	default:
		g_assert(m->header.type > MESSAGE_WELCOME && m->header.type <= MESSAGE_SHUTDOWN_INTENT);
		break;
	}
}

/* Returns: false when there is nothing (more). */
static bool hear_one(void)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(4 * sizeof(int))];
	} control;
	static Heard heard;
	struct iovec part = { .iov_base = &heard, .iov_len = sizeof(heard) };
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space)
	};
	ssize_t n = world.link_fd >= 0 ? recvmsg(world.link_fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) : 0;
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	if (n <= 0)
		return false;
	g_assert(n >= (ssize_t)sizeof(heard.header) && heard.header.size == (size_t)n);
	g_assert((c != NULL) == (heard.header.type == MESSAGE_KEPT) || m.msg_flags & MSG_CTRUNC);
	if (c) {
		int fd;

		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		(void)close(fd); /* the manager's copy */
	}
	on_heard(&heard);
	return true;
}

static void hear_some(void)
{
	for (int n = take() % 16; n > 0 && hear_one(); n--)
		;
}

static void hear_all(void)
{
	while (hear_one())
		;
}

/* --- what else happens --- */

static const int statuses[] = { 0, 1 << 8, PROTOCOL_EXIT_REEXEC << 8, PROTOCOL_EXIT_INCOMPATIBLE << 8, 127 << 8, SIGSEGV | 0x80,
				SIGKILL, SIGABRT };

static void somebody_ends(void)
{
	const uint8_t choice = take();
	static const enum WorldKind kinds[] = { WORLD_SERVICE, WORLD_SERVICE, WORLD_SERVICE, WORLD_ORPHAN, WORLD_SHELL };
	struct WorldProcess *process = world_pick(kinds[choice % G_N_ELEMENTS(kinds)], choice / 8);

	if (process)
		world_dies(process, statuses[choice % G_N_ELEMENTS(statuses)]);
}

static void manager_ends(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	if (manager)
		world_dies(manager, statuses[take() % G_N_ELEMENTS(statuses)]);
}

static void manager_closes(void)
{
	if (world.link_fd >= 0)
		(void)close(world.link_fd);
	world.link_fd = -1;
}

static void manager_stops(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	if (!manager)
		return;
	manager->is_stopped = true;
	manager->is_immortal = take() % 2;
	world_signals(SIGCHLD);
}

static void manager_reads_and_says_hello(void)
{
	Datagram d = { .size = 0 };

	hear_all();
	put_hello(&d);
	send_datagram(&d);
}

static void orphan_comes(void)
{
	(void)world_add(WORLD_ORPHAN);
}

static void signal_comes(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPWR, SIGWINCH, SIGCHLD, SIGUSR2 };
	const uint8_t choice = take();

	world_signals(choice < 0x80 ? signals[choice % G_N_ELEMENTS(signals)] : SIGRTMIN + choice % 8);
}

static void loan_comes_back(void)
{
	struct WorldProcess *process = world_pick(WORLD_SERVICE, take());

	if (process)
		world_returns_loan(process);
}

static void clock_runs_out(void)
{
	const struct itimerspec now = { .it_value = { .tv_nsec = 1 } };

	if (manager_link_clock() >= 0)
		g_assert(timerfd_settime(manager_link_clock(), 0, &now, NULL) == 0);
}

static void something_will_be_refused(void)
{
	static const int errors[] = { EAGAIN, ENOMEM, EPERM, ENOENT };
	const uint8_t choice = take();

	if (choice % 2)
		world.spawn_error = errors[choice / 2 % G_N_ELEMENTS(errors)];
	else
		world.exec_error = world.exec_error ? 0 : errors[choice / 2 % G_N_ELEMENTS(errors)];
	world.trial_status = choice >= 0xe0 ? -1 : choice >= 0xc0 ? 127 << 8 : REEXEC_CAN_TAKE_OVER << 8;
}

static void set_room_for_fds(rlim_t soft)
{
	struct rlimit limit;

	g_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = MIN(soft, limit.rlim_max);
	g_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void descriptors_become_scarce(void)
{
	const int next = fcntl(sendable[0], F_DUPFD_CLOEXEC, 3);

	if (next < 0)
		return;
	(void)close(next);
	set_room_for_fds((rlim_t)next + take() % 4);
	is_short_of_fds = true;
}

static void (*const acts[])(void) = {
	say_one, say_one, say_one, say_one, say_batch, say_many, hear_some, hear_all, manager_reads_and_says_hello, somebody_ends,
	somebody_ends, manager_ends, manager_closes, manager_stops, orphan_comes, signal_comes, loan_comes_back,
	something_will_be_refused, descriptors_become_scarce, clock_runs_out,
};

/* Returns: whether there was one. */
static bool act(int timeout_ms)
{
	const uint8_t choice = take();

	if (input_left == 0)
		return false;
	if (choice < 0xf0)
		acts[choice % G_N_ELEMENTS(acts)]();
	else
		world.now_us += choice < 0xf8 && timeout_ms > 0 ? (uint64_t)timeout_ms * USEC_PER_MSEC : take() * USEC_PER_SEC;
	return true;
}

/* --- the end --- */

static void restore_room(void)
{
	if (is_short_of_fds)
		set_room_for_fds(MOST_OPEN);
	is_short_of_fds = false;
}

static void all_is_granted(void)
{
	restore_room();
	world.spawn_error = world.exec_error = 0;
	world.trial_status = REEXEC_CAN_TAKE_OVER << 8;
}

static void check_replay(void)
{
	unsigned int n_exited = 0;
	const bool with_notes = !(told.welcome.flags & WELCOME_WITHOUT_NOTES);

	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		n_exited += child->flags & CHILD_EXITED ? 1 : 0;
	g_assert(told.n_spawned == children_count() && told.n_exited == n_exited);
	g_assert(told.n_notes == (with_notes ? vault_n_notes() : 0) && told.n_kept == vault_n_fds());
	g_assert(told.replayed.n_children == told.n_spawned && told.replayed.n_notes == told.n_notes &&
		 told.replayed.n_fds == told.n_kept);
}

static void everybody_ends(void)
{
	for (size_t i = 0; i < WORLD_PROCESSES; i++)
		if (world.processes[i].pid && world.processes[i].kind != WORLD_MANAGER)
			world_dies(&world.processes[i], 0);
}

/* What a manager would say one by one; here what is taken back counts, not how. */
static void give_all_back(void)
{
	struct Child *child;
	Row row;

	while ((child = children_next(NULL))) {
		row_of_child(&row, child);
		g_assert(children_release(&row.id));
	}
	for (unsigned int id = 1; id <= name_last(); id++) {
		if (vault_note((NameId)id))
			g_assert(vault_set_note(name_text((NameId)id), "") == 0);
		if (vault_fd((NameId)id) >= 0)
			vault_forget(name_text((NameId)id));
		g_assert(name_find(name_text((NameId)id)) != id);
	}
	g_assert(children_count() == 0 && vault_n_notes() == 0 && vault_n_fds() == 0);
	memset(was_released, true, sizeof(was_released));
	memset(was_forgotten, true, sizeof(was_forgotten));
}

static void leave(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	all_is_granted();
	if (manager) {
		world_dies(manager, SIGKILL);
		phase = PHASE_REPLAY;
	} else {
		world.now_us += 60 * USEC_PER_SEC; /* it comes */
	}
}

static void replay(void)
{
	if (world.link_fd < 0) {
		world.now_us += 60 * USEC_PER_SEC;
		return;
	}
	manager_reads_and_says_hello();
	hear_all();
	if (!told.has_replayed)
		return;
	check_replay();
	everybody_ends();
	phase = PHASE_CLEAR;
}

static void clear(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	hear_all();
	give_all_back();
	world.spawn_error = EAGAIN; /* no next one */
	if (manager)
		world_dies(manager, SIGKILL);
	phase = PHASE_LAST;
}

static void on_rest(int timeout_ms)
{
	check();
	restore_room();
	switch (phase) {
	case PHASE_ACTS:
		if (!act(timeout_ms))
			phase = PHASE_LEAVE;
		break;
	case PHASE_LEAVE:
		leave();
		break;
	case PHASE_REPLAY:
		replay();
		break;
	case PHASE_CLEAR:
		clear();
		break;
	case PHASE_LAST:
		longjmp(out_of_loop, LEAP_END);
	}
}

static void __attribute__((noreturn)) on_finale(enum ShutdownKind kind)
{
	(void)kind;
	ended_machine = true;
	input_left = 0;
	phase = PHASE_LEAVE;
	longjmp(out_of_loop, LEAP_FINALE);
}

/* --- another image --- */

/* What execve(2) does with the tables. The descriptors in them stay open. */
static void lose_tables(void)
{
	for (size_t i = 0; i < WORLD_PROCESSES; i++)
		loan_on_exit(world.processes[i].pid ? world.processes[i].pid : -1);
	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		if (!(child->flags & CHILD_EXITED))
			child_restore_exited(child, &(struct ChildExit){ 0 });
	for (unsigned int id = 1; id <= name_last(); id++) {
		const int fd = vault_fd((NameId)id);
		const int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

		if (fd < 0)
			continue;
		vault_forget(name_text((NameId)id));
		g_assert(copy >= 0 && dup2(copy, fd) == fd && close(copy) == 0);
	}
	for (struct WorldProcess *p = world.processes; p < world.processes + WORLD_PROCESSES; p++)
		p->loan = -1;
}

static void check_same(const Holdings *old)
{
	static Holdings now;

	look(&now);
	g_assert(now.n_rows == old->n_rows && now.n_notes == old->n_notes && now.n_fds == old->n_fds);
	for (size_t i = 0; i < old->n_rows; i++) {
		Row row;

		g_assert(children_find(&old->rows[i].id));
		row_of_child(&row, children_find(&old->rows[i].id));
		g_assert(memcmp(&row.id, &old->rows[i].id, sizeof(row.id)) == 0 && row.pid == old->rows[i].pid);
		g_assert(row.has_exited == old->rows[i].has_exited && row.exit.status == old->rows[i].exit.status);
	}
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++) {
		g_assert(now.has_note[i] == old->has_note[i] && now.fds[i] == old->fds[i]);
		g_assert(!now.has_note[i] || strcmp(now.notes[i], old->notes[i]) == 0);
	}
}

static void __attribute__((noreturn)) on_exec(int fd)
{
	static Holdings old;

	look(&old);
	restore_room();
	lose_tables();
	for (struct Child *child; (child = children_next(NULL)) != NULL;) {
		Row row;

		row_of_child(&row, child);
		g_assert(children_release(&row.id));
	}
	for (unsigned int id = 1; id <= name_last(); id++)
		if (vault_note((NameId)id))
			g_assert(vault_set_note(name_text((NameId)id), "") == 0);
	g_assert(reexec_resume(fd));
	check_same(&old);
	longjmp(out_of_loop, LEAP_IMAGE);
}

/* --- one input --- */

static void begin_once(void)
{
	static bool has_begun;
	int ends[2];

	if (has_begun)
		return;
	has_begun = true;
	keeper.is_pid1 = keeper.container = true;
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	keeper.nofile_soft = keeper.nofile_hard = MOST_OPEN;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), "/svcd-manager");
	set_room_for_fds(MOST_OPEN);
	sendable[0] = keeper_null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	g_assert(pipe2(ends, O_CLOEXEC) == 0);
	sendable[1] = ends[1];
	sendable[2] = ends[0];
	sendable[3] = eventfd(0, EFD_CLOEXEC);
	loan_init();
	g_assert(loan_fd() >= 0);
}

/* Which descriptors there are, but the manager's clock, which is made anew each time. */
static void look_at_open(bool *ret_is_open)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!dir)
		g_error("no memory for a list of descriptors");
	memset(ret_is_open, 0, MOST_OPEN * sizeof(*ret_is_open));
	while ((entry = readdir(dir)) != NULL) {
		const int fd = atoi(entry->d_name);

		if (fd < MOST_OPEN && fd != dirfd(dir) && fd != manager_link_clock())
			ret_is_open[fd] = true;
	}
	(void)closedir(dir);
}

/* What is lost: none, unless the machine has ended in the middle of something; then its kernel closes it. */
static void close_new(const bool *was_open)
{
	static bool is_open[MOST_OPEN];

	look_at_open(is_open);
	for (int fd = 3; fd < MOST_OPEN; fd++) {
		if (was_open[fd] || !is_open[fd])
			continue;
		g_assert(ended_machine);
		(void)close(fd);
	}
}

static void run(void)
{
	switch ((enum Leap)setjmp(out_of_loop)) {
	case LEAP_NONE:
	case LEAP_IMAGE:
		loop(world.signal_fd);
	case LEAP_FINALE:
		shutdown_begin(SHUTDOWN_NONE, 0, 0); /* the same tables go on; of a machine that has ended nothing is asked */
		loop(world.signal_fd);
	case LEAP_END:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool was_open[MOST_OPEN];

	begin_once();
	look_at_open(was_open);
	input = data;
	input_left = size;
	phase = PHASE_ACTS;
	ended_machine = false;
	before = (Holdings){ .n_rows = 0 };
	for (unsigned int i = 0; i < G_N_ELEMENTS(names); i++)
		before.fds[i] = -1;
	memset(was_released, false, sizeof(was_released));
	memset(was_forgotten, false, sizeof(was_forgotten));
	world_begin();
	world.rest = on_rest;
	world.exec = on_exec;
	world.finale = on_finale;
	world.trial_status = REEXEC_CAN_TAKE_OVER << 8;
	manager_link_init(0, 0);
	strikes_forget();
	run();
	world_end();
	shutdown_begin(SHUTDOWN_NONE, 0, 0);
	close_new(was_open);
	return 0;
}
