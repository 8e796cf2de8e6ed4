/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what one image of PID 1 leaves to the next, with bytes of it changed, and the sum over all made right again:
 * as if the old image had written it so. It is refused, or what comes of it is whole, and nobody but a child of ours is
 * ever sent anything because of it.
 *
 * The input: changes of a table that is sound, of three bytes each (where, and what is there then); the first byte says
 * whether the sum is made right, and how much of the end is cut off.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/keeper.h"
#include "keeper/manager-link.h"
#include "keeper/reexec.h"
#include "keeper/snapshot.h"
#include "keeper/shutdown.h"
#include "keeper/vault.h"
#include "tests/fuzz/keeper-world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TABLE_BYTES 16384
#define MOST_OPEN 64

/* As in snapshot.c: where a table says how long it is, and its sum. */
#define SIZE_AT 8
#define SUM_AT 16
#define HEADER_BYTES 24

static _Alignas(8) char sound[TABLE_BYTES];
static size_t sound_size;

static uint64_t sum_of(const char *bytes, size_t size)
{
	uint64_t sum = 14695981039346656037ull;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211ull;
	return sum;
}

/* A table that was cut is one that says so. */
static void make_right(char *table, size_t size)
{
	const uint64_t said = size;
	uint64_t sum = 0;

	if (size < HEADER_BYTES)
		return;
	memcpy(table + SIZE_AT, &said, sizeof(said));
	memcpy(table + SUM_AT, &sum, sizeof(sum));
	sum = sum_of(table, HEADER_BYTES) * 31 + sum_of(table + HEADER_BYTES, size - HEADER_BYTES);
	memcpy(table + SUM_AT, &sum, sizeof(sum));
}

static void add_child(const char *service, uint32_t role, uint64_t invocation, pid_t pid, bool has_exited)
{
	struct ProcessId id = { .invocation = invocation, .role = role };
	struct Child *child;

	(void)keeper_copy(id.service, sizeof(id.service), service);
	child = children_add(&id, pid, 99);
	g_assert(child);
	if (has_exited)
		child_restore_exited(child, &(struct ChildExit){ .code = CLD_EXITED, .status = 3 });
}

static void give_all_back(void)
{
	struct Child *child;

	while ((child = children_next(NULL))) {
		struct ProcessId id = { .invocation = child->invocation, .role = child->role };

		g_assert(keeper_copy(id.service, sizeof(id.service), name_text(child->service)));
		if (!(child->flags & CHILD_EXITED))
			child_restore_exited(child, &(struct ChildExit){ 0 });
		g_assert(children_release(&id));
	}
	for (unsigned int id = 1; id <= name_last(); id++) {
		if (vault_note((NameId)id))
			(void)vault_set_note(name_text((NameId)id), "");
		if (vault_fd((NameId)id) >= 0)
			vault_forget(name_text((NameId)id));
		g_assert(name_find(name_text((NameId)id)) != id);
	}
	shutdown_begin(SHUTDOWN_NONE, 0, 0);
}

static void begin_once(void)
{
	if (sound_size > 0)
		return;
	keeper_null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), "/svcd-manager");
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), "/sys/fs/cgroup/svcd");
	(void)keeper_copy(keeper.words[keeper.n_words++], sizeof(keeper.words[0]), "single");
	add_child("a", ROLE_MAIN, 1, 1000, false);
	add_child("a", ROLE_CONTROL, 1, 1001, true);
	add_child("b", ROLE_MAIN, 2, 1002, false);
	g_assert(vault_set_note("a", "v=1 s=r") == 0 && vault_set_note(".", "v=1") == 0);
	g_assert(vault_keep("a/log/1", 20) == 0 && vault_keep("b/log/2", 21) == 0);
	shutdown_begin(SHUTDOWN_REBOOT, 60000, keeper_now_us());
	sound_size = snapshot_encode(sound, sizeof(sound));
	g_assert(sound_size <= sizeof(sound) && snapshot_check(sound, sound_size));
	give_all_back();
}

/* Of the three processes one has died and nobody has reaped it; one is gone. */
static void begin_world(void)
{
	world_begin();
	(void)world_add(WORLD_SERVICE);
	world.processes[1] = (struct WorldProcess){ 0 };
	world.processes[2] = (struct WorldProcess){ .pid = 1002, .kind = WORLD_SERVICE, .is_dead = true };
	for (int fd = 20; fd < 22; fd++)
		g_assert(dup2(keeper_null_fd, fd) == fd);
}

static void check_rows(void)
{
	uint32_t n = 0;

	for (struct Child *child = children_next(NULL); child; child = children_next(child), n++) {
		if (child->flags & CHILD_EXITED)
			continue;
		g_assert(child->pid > 1 && children_find_pid(child->pid) == child);
		g_assert(kill(child->pid, SIGTERM) == 0); /* the world looks whose it is */
	}
	g_assert(n == children_count());
}

static void check_keeper(void)
{
	g_assert(keeper.n_words <= KEEPER_MAX_WORDS && keeper.ping_ms > 0);
	g_assert(memchr(keeper.manager_path, '\0', sizeof(keeper.manager_path)));
	g_assert(memchr(keeper.cgroup_root, '\0', sizeof(keeper.cgroup_root)));
	g_assert(memchr(keeper.virtualization, '\0', sizeof(keeper.virtualization)));
	for (uint32_t i = 0; i < keeper.n_words; i++)
		g_assert(memchr(keeper.words[i], '\0', sizeof(keeper.words[i])));
}

static void check_vault(void)
{
	for (unsigned int id = 1; id <= name_last(); id++) {
		const int fd = vault_fd((NameId)id);

		g_assert(fd < 0 || (fd > STDERR_FILENO && fcntl(fd, F_GETFD) == FD_CLOEXEC));
		for (unsigned int other = 1; fd >= 0 && other < id; other++)
			g_assert(vault_fd((NameId)other) != fd);
	}
}

static void take_over(const char *table, size_t size)
{
	const struct Keeper ours = keeper;
	const int fd = memfd_create("tables", MFD_CLOEXEC);

	g_assert(fd > 21 || fd < 20);
	g_assert(write(fd, table, size) == (ssize_t)size);
	reexec_expect(fd);
	if (reexec_resume()) {
		check_rows();
		check_keeper();
		check_vault();
	} else {
		g_assert(children_count() == 0 && vault_n_notes() == 0 && vault_n_fds() == 0);
	}
	keeper = ours;
	(void)close(fd); /* if it was refused */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(8) char table[TABLE_BYTES];
	size_t table_size;

	begin_once();
	table_size = sound_size;
	memcpy(table, sound, sound_size);
	if (size > 0)
		table_size -= (size_t)(data[0] >> 1) * 8 < sound_size ? (size_t)(data[0] >> 1) * 8 : 0;
	for (size_t i = 1; i + 3 <= size; i += 3) {
		const size_t at = ((size_t)data[i] << 8 | data[i + 1]) % table_size;

		table[at] = (char)data[i + 2];
	}
	if (size > 0 && data[0] & 1)
		make_right(table, table_size);
	begin_world();
	take_over(table, table_size);
	give_all_back();
	world_end();
	for (int fd = 3; fd < MOST_OPEN; fd++)
		if (fd != keeper_null_fd && fd >= 20)
			(void)close(fd); /* what was in no row any more */
	return 0;
}
