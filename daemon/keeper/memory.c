/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory: a header with the place of each table, the state, and the tables.
 *
 * The index of each table (a hash of the names, and the free rows) is not part of it. Each image
 * makes its own.
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
#include "keeper/crash.h"

#define MAGIC 0x6d637673u /* "svcm" */
#define LAYOUT 1
#define ALIGNMENT 64u
#define PAGE_BYTES 16384u /* allocated at once */
#define BUCKETS 2048
#define MOST_ROWS PROTOCOL_MAX_NOTES
#define MAP_TRIES 100
#define MAP_STEP_MS 100

struct TableHeader {
	uint32_t offset;
	uint32_t row_bytes;
	uint32_t n_rows; /* with row 0 */
	uint32_t last;   /* the highest row that was ever used */
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
		[TABLE_CHILDREN] = { CHILDREN_AT, sizeof(struct Child), PROTOCOL_MAX_CHILDREN + 1, 0 },
		[TABLE_NOTES] = { NOTES_AT, sizeof(struct Note), PROTOCOL_MAX_NOTES + 1, 0 },
		[TABLE_FDS] = { FDS_AT, sizeof(struct KeptFd), PROTOCOL_MAX_KEPT_FDS + 1, 0 },
	},
};

static char *memory;
static int fd_ = -1;

static struct Index {
	uint16_t buckets[BUCKETS];
	uint16_t next[MOST_ROWS + 1]; /* the next row of its bucket, or the next free row */
	uint16_t first_free;
	uint16_t n_used;
	uint32_t end; /* the kernel has allocated memory up to here */
} indices[N_TABLES];

static struct TableHeader *header_of(enum TableId id)
{
	return &((struct Header *)(void *)memory)->tables[id];
}

/* All services depend on it, so it waits while there is no memory, for ten seconds at most. */
static char *map(int fd, size_t size, int flags)
{
	for (int i = 0;; i++) {
		char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

		if (mapped != MAP_FAILED)
			return mapped;
		if (errno != ENOMEM || i == MAP_TRIES)
			return NULL;
		if (i == 0)
			console_log("no memory to map the tables; trying again for ten seconds");
		(void)poll(NULL, 0, MAP_STEP_MS);
	}
}

void memory_drop(void)
{
	if (memory)
		(void)munmap(memory, MEMORY_BYTES); /* cannot fail for a mapping we made */
	if (fd_ >= 0)
		(void)close(fd_); /* nothing in it is needed any more */
	memory = NULL;
	fd_ = -1;
	memset(indices, 0, sizeof(indices));
}

static void use(char *mapped, int fd)
{
	memory_drop();
	memory = mapped;
	fd_ = fd;
	(void)madvise(memory, MEMORY_BYTES, MADV_DONTFORK); /* refused: a child copies more than it needs */
}

/* No huge pages, because each touched page would take 2 MiB. */
static void use_anonymous(void)
{
	char *mapped;

	console_log("no memfd: %s; svcd cannot execute itself again", strerror(errno));
	mapped = map(-1, MEMORY_BYTES, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (!mapped)
		crash_last_resort();
	(void)madvise(mapped, MEMORY_BYTES, MADV_NOHUGEPAGE); /* refused: it takes more memory than it needs */
	use(mapped, -1);
}

void memory_init(void)
{
	const int fd = memfd_create("svcd-memory", MFD_CLOEXEC);
	char *mapped = NULL;

	if (fd >= 0 && ftruncate(fd, MEMORY_BYTES) == 0)
		mapped = map(fd, MEMORY_BYTES, MAP_SHARED);
	if (mapped) {
		use(mapped, fd);
	} else {
		use_anonymous();
		if (fd >= 0)
			(void)close(fd); /* it is empty */
	}
	memcpy(memory, &ours, sizeof(ours));
}

static bool is_inside(uint32_t offset, uint64_t bytes, size_t size)
{
	return offset % 8 == 0 && offset <= size && bytes <= size - offset;
}

static bool header_is_sound(const struct Header *h, size_t size)
{
	if (h->magic != MAGIC || h->version != LAYOUT || !is_inside(h->state_offset, h->state_bytes, size) ||
	    !is_inside(h->keeper_offset, h->keeper_bytes, size))
		return false;
	for (int id = 0; id < N_TABLES; id++) {
		const struct TableHeader *t = &h->tables[id];

		if (t->row_bytes < sizeof(struct Row) || t->row_bytes % 8 != 0 || t->n_rows == 0 || t->n_rows > MOST_ROWS + 1 ||
		    !is_inside(t->offset, (uint64_t)t->row_bytes * t->n_rows, size))
			return false;
	}
	return true;
}

static bool is_as_ours(const struct Header *h)
{
	struct Header copy = *h;

	for (int id = 0; id < N_TABLES; id++)
		copy.tables[id].last = 0;
	return memcmp(&copy, &ours, sizeof(copy)) == 0;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Returns: whether there is memory up to the end of row @n. A write to a page without memory would
 * be SIGBUS.
 */
static bool has_memory(enum TableId id, unsigned int n)
{
	struct Index *index = &indices[id];
	const uint32_t end = ours.tables[id].offset + (n + 1) * ours.tables[id].row_bytes;

	if (fd_ < 0 || end <= index->end)
		return true;
	if (fallocate(fd_, FALLOC_FL_KEEP_SIZE, end - ours.tables[id].row_bytes, ours.tables[id].row_bytes + PAGE_BYTES) < 0 &&
	    (errno == ENOSPC || errno == ENOMEM))
		return false;
	index->end = end + PAGE_BYTES;
	return true;
}

/* All services are in the tables, so it waits while there is no memory, for ten seconds at most. */
static bool has_memory_in_time(enum TableId id, unsigned int n)
{
	for (int i = 0; i < MAP_TRIES; i++) {
		if (has_memory(id, n))
			return true;
		(void)poll(NULL, 0, MAP_STEP_MS);
	}
	console_log("no memory for all rows of the old image's tables: some are lost");
	return false;
}

/*
 * Copies to a new memory, row by row. Fields that only the new rows have are zero; fields that only
 * the old ones have are dropped.
 */
static void convert(const char *old)
{
	const struct Header *from = (const void *)old;

	memory_init();
	memcpy(memory + STATE_AT, old + from->state_offset, lesser(from->state_bytes, sizeof(struct State)));
	memcpy(memory + KEEPER_AT, old + from->keeper_offset, lesser(from->keeper_bytes, sizeof(struct Keeper)));
	for (int id = 0; id < N_TABLES; id++) {
		const struct TableHeader *f = &from->tables[id];
		struct TableHeader *t = header_of((enum TableId)id);
		const size_t last = lesser(f->last, lesser(f->n_rows, t->n_rows) - 1);

		for (uint32_t n = 1; n <= last && has_memory_in_time((enum TableId)id, n); n++) {
			memcpy(table_row((enum TableId)id, n), old + f->offset + (size_t)n * f->row_bytes, lesser(f->row_bytes, t->row_bytes));
			t->last = n;
		}
	}
}

/* Returns: the mapping and its size, or NULL; the reason was logged. */
static char *map_old(int fd, bool is_trial, size_t *ret_size)
{
	struct stat st = { 0 };
	char *mapped = NULL;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(struct Header) || st.st_size > UINT32_MAX) {
		console_log("no tables in descriptor %d", fd);
		return NULL;
	}
	*ret_size = (size_t)st.st_size;
	mapped = map(fd, *ret_size, is_trial ? MAP_PRIVATE : MAP_SHARED);
	if (!mapped)
		console_log("cannot read the tables of the old image: %s", strerror(errno));
	return mapped;
}

bool memory_resume(int fd, bool is_trial)
{
	size_t size;
	char *mapped = map_old(fd, is_trial, &size);

	if (!mapped)
		return false;
	if (!header_is_sound((struct Header *)(void *)mapped, size)) {
		console_log("the tables of the old image are damaged or of another version: they are not used");
		(void)munmap(mapped, size); /* cannot fail for a mapping we made */
		return false;
	}
	if (is_as_ours((struct Header *)(void *)mapped) && size == MEMORY_BYTES) {
		use(mapped, is_trial ? -1 : fd);
		return true;
	}
	convert(mapped);
	(void)munmap(mapped, size); /* cannot fail for a mapping we made */
	return true;
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

/* A fault may come between any two instructions. */
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

/* FNV-1a. */
static uint16_t *bucket_of(enum TableId id, const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &indices[id].buckets[(hash ^ hash >> 16) % BUCKETS];
}

static unsigned int find_from(enum TableId id, unsigned int n, const char *name)
{
	while (n && strcmp(name_of(id, n), name) != 0)
		n = indices[id].next[n];
	return n;
}

unsigned int table_find(enum TableId id, const char *name)
{
	return find_from(id, *bucket_of(id, name), name);
}

unsigned int table_find_next(enum TableId id, unsigned int n)
{
	return find_from(id, indices[id].next[n], name_of(id, n));
}

static unsigned int take_free(enum TableId id)
{
	struct Index *index = &indices[id];
	struct TableHeader *t = header_of(id);
	const unsigned int n = index->first_free;

	if (n) {
		index->first_free = index->next[n];
		return n;
	}
	if (t->last + 1 >= ours.tables[id].n_rows || !has_memory(id, t->last + 1))
		return 0;
	return ++t->last;
}

static void link_row(enum TableId id, unsigned int n)
{
	uint16_t *bucket = bucket_of(id, name_of(id, n));

	indices[id].next[n] = *bucket;
	*bucket = (uint16_t)n;
	indices[id].n_used++;
}

static void add_free(enum TableId id, unsigned int n)
{
	indices[id].next[n] = indices[id].first_free;
	indices[id].first_free = (uint16_t)n;
}

unsigned int table_add(enum TableId id, const char *name)
{
	const size_t length = strlen(name);
	unsigned int n;
	struct Row *row;

	if (length == 0 || length >= sizeof(row->name) || !(n = take_free(id)))
		return 0;
	row = table_row(id, n);
	memset(row, 0, ours.tables[id].row_bytes);
	memcpy(row->name, name, length + 1);
	row_set_mark(row, ROW_CHANGING);
	link_row(id, n);
	return n;
}

void table_remove(enum TableId id, unsigned int n)
{
	uint16_t *link = bucket_of(id, name_of(id, n));

	row_set_mark(table_row(id, n), ROW_FREE);
	while (*link && *link != n)
		link = &indices[id].next[*link];
	if (!*link)
		return; /* the index does not exist yet */
	*link = indices[id].next[n];
	indices[id].n_used--;
	add_free(id, n);
}

unsigned int table_last(enum TableId id)
{
	if (!memory)
		return 0; /* a fault may come before the memory exists */
	return (unsigned int)lesser(header_of(id)->last, ours.tables[id].n_rows - 1);
}

unsigned int table_count(enum TableId id)
{
	return indices[id].n_used;
}

static bool row_has_name(const struct Row *row)
{
	return row->name[0] && memchr(row->name, '\0', sizeof(row->name));
}

unsigned int table_resume(enum TableId id, bool (*is_sound)(void *row))
{
	unsigned int n_dropped = 0;

	for (unsigned int n = table_last(id); n > 0; n--) {
		struct Row *row = table_row(id, n);

		if (row->mark != ROW_FREE && row_has_name(row) && is_sound(row)) {
			row_set_mark(row, ROW_USED);
			link_row(id, n);
			continue;
		}
		n_dropped += row->mark != ROW_FREE && row->mark != ROW_CHANGING;
		row_set_mark(row, ROW_FREE);
		add_free(id, n);
	}
	return n_dropped;
}
