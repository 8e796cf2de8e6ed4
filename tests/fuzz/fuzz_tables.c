/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the memory that one image of PID 1 leaves to the next, with changed bytes. It is
 * refused, or the resulting state is consistent. With that state, PID 1 sends signals only to its
 * own children.
 *
 * The input: changes of a sound memory, of four bytes each: the part (the header, the state, a
 * table's rows), the place, and the new value.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/reexec.h"
#include "keeper/shutdown.h"
#include "tests/fuzz/keeper-world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_OPEN 64
/* The changes are in the first bytes of each part. */
#define PART_BYTES 4096

static int sound_fd = -1;

static void add_child(const char *service, uint32_t role, uint64_t invocation, pid_t pid,
		      bool has_exited)
{
	struct ProcessId id = { .invocation = invocation, .role = role };
	struct Child *child;

	(void)keeper_copy(id.service, sizeof(id.service), service);
	child = children_add(&id, pid, 99);
	g_assert(child);
	if (has_exited)
		child_restore_exited(child, &(struct ChildExit){ .code = CLD_EXITED, .status = 3 });
}

static void begin_once(void)
{
	if (sound_fd >= 0)
		return;
	memory_init();
	keeper_null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), "/svcd-manager");
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), "/sys/fs/cgroup/svcd");
	(void)keeper_copy(keeper.arguments[keeper.n_arguments++], sizeof(keeper.arguments[0]),
			  "single");
	add_child("a", ROLE_MAIN, 1, 1000, false);
	add_child("a", ROLE_CONTROL, 1, 1001, true);
	add_child("b", ROLE_MAIN, 2, 1002, false);
	g_assert(note_set("a", "v=1 s=r") == 0 && note_set(".", "v=1") == 0);
	g_assert(fd_store_keep("a/log/1", 20) == 0 && fd_store_keep("b/log/2", 21) == 0);
	shutdown_begin(SHUTDOWN_REBOOT, 60000, keeper_now_us());
	reexec_write_state();
	sound_fd = fcntl(memory_fd(), F_DUPFD_CLOEXEC, MOST_OPEN);
	g_assert(sound_fd >= 0);
}

/* Of the three processes one is dead and not reaped, and one is gone. */
static void begin_world(void)
{
	world_begin();
	(void)world_add(WORLD_SERVICE);
	world.processes[1] = (struct WorldProcess){ 0 };
	world.processes[2] =
		(struct WorldProcess){ .pid = 1002, .kind = WORLD_SERVICE, .is_dead = true };
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
		g_assert(kill(child->pid, SIGTERM) == 0); /* checks the parent */
	}
	g_assert(n == children_count());
}

static void check_keeper(void)
{
	g_assert(keeper.n_arguments <= KEEPER_MAX_ARGUMENTS && keeper.ping_ms > 0);
	g_assert(memchr(keeper.manager_path, '\0', sizeof(keeper.manager_path)));
	g_assert(memchr(keeper.cgroup_root, '\0', sizeof(keeper.cgroup_root)));
	g_assert(memchr(keeper.virtualization, '\0', sizeof(keeper.virtualization)));
	for (uint32_t i = 0; i < keeper.n_arguments; i++)
		g_assert(memchr(keeper.arguments[i], '\0', sizeof(keeper.arguments[i])));
}

static void check_store(void)
{
	const char *name;

	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++) {
		const int fd = fd_store_at(n, &name);

		g_assert(fd < 0 || (fd > STDERR_FILENO && fcntl(fd, F_GETFD) == FD_CLOEXEC));
		for (unsigned int other = 1; fd >= 0 && other < n; other++)
			g_assert(fd_store_at(other, &name) != fd);
	}
}

static void take_over(int fd)
{
	const struct Keeper ours = keeper;

	reexec_expect(fd);
	if (reexec_resume()) {
		check_rows();
		check_keeper();
		check_store();
	} else {
		g_assert(children_count() == 0 && table_count(TABLE_NOTES) == 0 &&
			 table_count(TABLE_FDS) == 0);
	}
	keeper = ours;
	shutdown_begin(SHUTDOWN_NONE, 0, 0);
}

/* The offsets of the parts: the header, the state, and the used rows. Read from the header. */
static void find_parts(off_t parts[2 + N_TABLES])
{
	uint32_t header[4 + 4 * N_TABLES];

	g_assert(pread(sound_fd, header, sizeof(header), 0) == sizeof(header));
	parts[0] = 0;
	parts[1] = header[2];
	for (int id = 0; id < N_TABLES; id++)
		parts[2 + id] = header[4 + 4 * id];
}

/* Returns: a copy of the used memory. */
static int copy_sound(const off_t parts[2 + N_TABLES])
{
	static char bytes[PART_BYTES];
	const int low = memfd_create("tables", MFD_CLOEXEC);
	const int fd = fcntl(low, F_DUPFD_CLOEXEC, 30);
	struct stat st;

	(void)close(low);
	g_assert(fd >= 0 && fstat(sound_fd, &st) == 0 && ftruncate(fd, st.st_size) == 0);
	for (int part = 0; part < 2 + N_TABLES; part++) {
		const ssize_t n = pread(sound_fd, bytes, sizeof(bytes), parts[part]);

		g_assert(n > 0 && pwrite(fd, bytes, (size_t)n, parts[part]) == n);
	}
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	off_t parts[2 + N_TABLES];
	int fd;

	begin_once();
	memory_init(); /* the driver forks, and another input would change shared memory */
	(void)children_resume();
	find_parts(parts);
	fd = copy_sound(parts);
	for (size_t i = 0; i + 4 <= size; i += 4) {
		const size_t at = ((size_t)data[i + 1] << 8 | data[i + 2]) %
				  (data[i] % 5 == 0 ? 64 : PART_BYTES);

		g_assert(pwrite(fd, &data[i + 3], 1, parts[data[i] % 5] + (off_t)at) == 1);
	}
	begin_world();
	take_over(fd);
	world_end();
	for (int open_fd = 3; open_fd < MOST_OPEN; open_fd++)
		if (open_fd != keeper_null_fd && open_fd != memory_fd() && open_fd >= 20)
			(void)close(open_fd); /* no row contained it any more */
	return 0;
}
