/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory: consists of a header with the place of each table, the state, and the tables.
 *
 * Each image makes its own index of each table: a hash of each name. A search looks at each hash
 * from the beginning, which takes a few microseconds for a full table.
 */
#include "config.h"

#include "keeper/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/console.h"

#define MAGIC 0x6d637673u /* "svcm" */
#define LAYOUT 1
#define ALIGNMENT 64u
#define PAGE_BYTES 16384u /* memory is allocated in such pieces */
#define MOST_ROWS PROTOCOL_MAX_NOTES
#define PATIENCE_TRIES 100
#define PATIENCE_STEP_MS 100

struct TableHeader {
	uint32_t offset;
	uint32_t row_bytes;
	uint32_t n_rows; /* including row 0 */
	uint32_t last; /* the highest row that was ever used */
};

struct Header {
	uint32_t magic;
	uint32_t version;
	uint32_t state_offset;
	uint32_t state_bytes;
	uint32_t keeper_offset;
	uint32_t keeper_bytes;
	struct TableHeader tables[N_TABLES];
};

#define ALIGNED(bytes) (((uint32_t)(bytes) + ALIGNMENT - 1) & ~(ALIGNMENT - 1))
#define TABLE_BYTES(type, n) ALIGNED(sizeof(type) * ((n) + 1u))

#define STATE_AT ALIGNED(sizeof(struct Header))
#define KEEPER_AT (STATE_AT + ALIGNED(sizeof(struct State)))
#define CHILDREN_AT (KEEPER_AT + ALIGNED(sizeof(struct Keeper)))
#define NOTES_AT (CHILDREN_AT + TABLE_BYTES(struct Child, PROTOCOL_MAX_CHILDREN))
#define FDS_AT (NOTES_AT + TABLE_BYTES(struct Note, PROTOCOL_MAX_NOTES))
#define MEMORY_BYTES (FDS_AT + TABLE_BYTES(struct KeptFd, PROTOCOL_MAX_KEPT_FDS))

static const struct Header ours = {
	.magic = MAGIC,
	.version = LAYOUT,
	.state_offset = STATE_AT,
	.state_bytes = sizeof(struct State),
	.keeper_offset = KEEPER_AT,
	.keeper_bytes = sizeof(struct Keeper),
	.tables = {
		[TABLE_CHILDREN] = { CHILDREN_AT, sizeof(struct Child), PROTOCOL_MAX_CHILDREN + 1,
				     0 },
		[TABLE_NOTES] = { NOTES_AT, sizeof(struct Note), PROTOCOL_MAX_NOTES + 1, 0 },
		[TABLE_FDS] = { FDS_AT, sizeof(struct KeptFd), PROTOCOL_MAX_KEPT_FDS + 1, 0 },
	},
};

static char *memory;
static int fd_ = -1;

static struct Index {
	uint32_t hashes[MOST_ROWS + 1]; /* 0: the row is free */
	unsigned int last; /* the highest row with a hash so far */
	unsigned int n_used;
	uint32_t end; /* the kernel has allocated memory up to here */
} indices[N_TABLES];

static struct Header *header_in(char *mapped)
{
	return (struct Header *)(void *)mapped;
}

/*
 * All services depend on the mapping. So while there is no memory, this waits, for ten seconds at
 * most.
 */
static char *map(int fd, size_t size, int flags)
{
	for (int i = 0;; i++) {
		char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

		if (mapped != MAP_FAILED)
			return mapped;
		if (errno != ENOMEM || i == PATIENCE_TRIES)
			return NULL;
		if (i == 0)
			console_log("no memory to map the tables; trying again for ten seconds");
		(void)poll(NULL, 0, PATIENCE_STEP_MS);
	}
}

void memory_drop(void)
{
	if (memory)
		(void)munmap(memory, MEMORY_BYTES); /* cannot fail for a mapping we made */
	if (fd_ >= 0)
		(void)close(fd_); /* its contents are not needed any more */
	memory = NULL;
	fd_ = -1;
	for (struct Index *index = indices; index < indices + N_TABLES; index++) {
		/* the other hashes are 0 */
		memset(index->hashes, 0, (index->last + 1) * sizeof(index->hashes[0]));
		index->last = index->n_used = index->end = 0;
	}
}

static void use(char *mapped, int fd)
{
	memory_drop();
	memory = mapped;
	fd_ = fd;
	/* on failure, a fork copies more than necessary */
	(void)madvise(memory, MEMORY_BYTES, MADV_DONTFORK);
}

bool memory_init(void)
{
	int fd = memfd_create("svcd-memory", MFD_CLOEXEC);
	char *mapped = NULL;

	if (fd >= 0 && ftruncate(fd, MEMORY_BYTES) == 0)
		mapped = map(fd, MEMORY_BYTES, MAP_SHARED);
	if (!mapped) {
		console_log("no memfd: %s; svcd cannot execute itself again", strerror(errno));
		if (fd >= 0)
			(void)close(fd); /* it is empty */
		fd = -1;
		mapped = map(-1, MEMORY_BYTES, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	}
	if (!mapped) {
		console_log("no memory for the tables: %s", strerror(errno));
		return false;
	}
	use(mapped, fd);
	memcpy(memory, &ours, sizeof(ours));
	return true;
}

static bool is_inside(uint32_t offset, uint64_t bytes, size_t size)
{
	return offset % 8 == 0 && offset <= size && bytes <= size - offset;
}

static bool header_is_sound(const struct Header *h, size_t size)
{
	bool is_sound = h->magic == MAGIC && h->version == LAYOUT &&
			is_inside(h->state_offset, h->state_bytes, size) &&
			is_inside(h->keeper_offset, h->keeper_bytes, size);

	for (const struct TableHeader *t = h->tables; t < h->tables + N_TABLES; t++)
		is_sound = is_sound && t->row_bytes >= sizeof(struct Row) &&
			   t->row_bytes % 8 == 0 && t->n_rows > 0 && t->n_rows <= MOST_ROWS + 1 &&
			   is_inside(t->offset, (uint64_t)t->row_bytes * t->n_rows, size);
	return is_sound;
}

static bool is_as_ours(const struct Header *h, size_t size)
{
	struct Header copy = *h;

	for (int id = 0; id < N_TABLES; id++)
		copy.tables[id].last = 0;
	return size == MEMORY_BYTES && memcmp(&copy, &ours, sizeof(copy)) == 0;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Is there memory up to the end of row @n? A write to a page without memory would be SIGBUS. */
static bool has_memory(enum TableId id, unsigned int n)
{
	const uint32_t row_bytes = ours.tables[id].row_bytes;
	const uint32_t begin = ours.tables[id].offset + n * row_bytes;

	if (fd_ < 0 || begin + row_bytes <= indices[id].end)
		return true;
	if (fallocate(fd_, FALLOC_FL_KEEP_SIZE, begin, row_bytes + PAGE_BYTES) < 0 &&
	    (errno == ENOSPC || errno == ENOMEM))
		return false;
	indices[id].end = begin + row_bytes + PAGE_BYTES;
	return true;
}

/*
 * Copies the tables to a new memory, row by row. Fields that only the new rows have become zero,
 * and fields that only the old rows have are dropped. Returns: false if there is no memory for the
 * tables.
 */
static bool convert(const char *old)
{
	const struct Header *from = (const void *)old;
	unsigned int n_tries = 0;

	if (!memory_init())
		return false;
	memcpy(memory + STATE_AT, old + from->state_offset,
	       lesser(from->state_bytes, sizeof(struct State)));
	memcpy(memory + KEEPER_AT, old + from->keeper_offset,
	       lesser(from->keeper_bytes, sizeof(struct Keeper)));
	for (enum TableId id = 0; id < N_TABLES; id++) {
		const struct TableHeader *f = &from->tables[id];
		struct TableHeader *t = &header_in(memory)->tables[id];
		const uint32_t last = lesser(f->last, lesser(f->n_rows, t->n_rows) - 1);

		while (t->last < last) {
			const uint32_t n = t->last + 1;

			if (has_memory(id, n)) {
				memcpy(table_row(id, n), old + f->offset + (size_t)n * f->row_bytes,
				       lesser(f->row_bytes, t->row_bytes));
				t->last = n;
			} else if (n_tries++ < PATIENCE_TRIES) {
				(void)poll(NULL, 0, PATIENCE_STEP_MS);
			} else {
				console_log(
					"no memory for all rows of the old image's tables: some "
					"are lost");
				return true;
			}
		}
	}
	return true;
}

bool memory_resume(int fd, bool is_trial)
{
	struct stat st = { 0 };
	size_t size;
	char *mapped;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(struct Header) ||
	    st.st_size > UINT32_MAX) {
		console_log("no tables in descriptor %d", fd);
		return false;
	}
	size = (size_t)st.st_size;
	mapped = map(fd, size, is_trial ? MAP_PRIVATE : MAP_SHARED);
	if (!mapped) {
		console_log("cannot read the tables of the old image: %s", strerror(errno));
		return false;
	}
	if (header_is_sound(header_in(mapped), size) && is_as_ours(header_in(mapped), size)) {
		use(mapped, is_trial ? -1 : fd);
		return true;
	}
	if (header_is_sound(header_in(mapped), size)) {
		const bool is_converted = convert(mapped);

		(void)munmap(mapped, size); /* cannot fail for a mapping we made */
		return is_converted;
	}
	console_log(
		"the tables of the old image are damaged or of another version: they are not used");
	(void)munmap(mapped, size);
	return false;
}

int memory_fd(void)
{
	return fd_;
}

struct Keeper *memory_keeper(void)
{
	return (struct Keeper *)(void *)(memory + KEEPER_AT);
}

struct State *memory_state(void)
{
	return (struct State *)(void *)(memory + STATE_AT);
}

/* --- tables --- */

/* The fences order the writes, because a fault may come between any two instructions. */
void row_set_mark(struct Row *row, enum RowMark mark)
{
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint32_t *)&row->mark = mark;
	atomic_signal_fence(memory_order_seq_cst);
}

void *table_row(enum TableId id, unsigned int n)
{
	return memory + ours.tables[id].offset + (size_t)n * ours.tables[id].row_bytes;
}

static const char *name_of(enum TableId id, unsigned int n)
{
	return ((const struct Row *)table_row(id, n))->name;
}

unsigned int table_last(enum TableId id)
{
	if (!memory)
		return 0; /* a fault may come before the memory exists */
	return lesser(header_in(memory)->tables[id].last, ours.tables[id].n_rows - 1);
}

/* FNV-1a; never 0. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ? hash : 1;
}

static unsigned int find_behind(enum TableId id, unsigned int n, const char *name)
{
	const uint32_t hash = hash_of(name);

	while (++n <= indices[id].last)
		if (indices[id].hashes[n] == hash && strcmp(name_of(id, n), name) == 0)
			return n;
	return 0;
}

unsigned int table_find(enum TableId id, const char *name)
{
	return find_behind(id, 0, name);
}

unsigned int table_find_next(enum TableId id, unsigned int n)
{
	return find_behind(id, n, name_of(id, n));
}

static void add_to_index(enum TableId id, unsigned int n)
{
	struct Index *index = &indices[id];

	index->hashes[n] = hash_of(name_of(id, n));
	index->last = n > index->last ? n : index->last;
	index->n_used++;
}

unsigned int table_add(enum TableId id, const char *name)
{
	const size_t length = strlen(name);
	const unsigned int last = table_last(id);
	unsigned int n = indices[id].n_used == last ? last + 1 : 1;
	struct Row *row;

	while (n <= last && indices[id].hashes[n])
		n++;
	if (length == 0 || length >= sizeof(row->name) || n >= ours.tables[id].n_rows ||
	    !has_memory(id, n))
		return 0;
	if (n > last)
		header_in(memory)->tables[id].last = n;
	row = table_row(id, n);
	memset(row, 0, ours.tables[id].row_bytes);
	memcpy(row->name, name, length + 1);
	row_set_mark(row, ROW_CHANGING);
	add_to_index(id, n);
	return n;
}

void table_remove(enum TableId id, unsigned int n)
{
	row_set_mark(table_row(id, n), ROW_FREE);
	if (!indices[id].hashes[n])
		return; /* the index does not exist yet */
	indices[id].hashes[n] = 0;
	indices[id].n_used--;
}

unsigned int table_count(enum TableId id)
{
	return indices[id].n_used;
}

unsigned int table_resume(enum TableId id, bool (*is_sound)(void *row))
{
	unsigned int n_dropped = 0;

	for (unsigned int n = table_last(id); n > 0; n--) {
		struct Row *row = table_row(id, n);

		if (row->mark != ROW_FREE && row->name[0] &&
		    memchr(row->name, '\0', sizeof(row->name)) && is_sound(row)) {
			row_set_mark(row, ROW_USED);
			add_to_index(id, n);
			continue;
		}
		n_dropped += row->mark != ROW_FREE && row->mark != ROW_CHANGING;
		row_set_mark(row, ROW_FREE);
	}
	return n_dropped;
}
