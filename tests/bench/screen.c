/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Screen: see the header. The card's first region is its memory. The third has Bochs' registers
 * from 0x500 on: the mode, and the first visible pixel of the memory.
 */
#include "screen.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CARD "/sys/bus/pci/devices/0000:00:02.0/"
#define MEMORY_BYTES (16u << 20)
#define REGISTERS_BYTES 4096
#define BOCHS 0x500
#define N_SLOTS 4096u

enum { Y_RESOLUTION = 2, BITS = 3, ENABLE = 4, VIRTUAL_WIDTH = 6, X_OFFSET = 8, Y_OFFSET = 9 };

static const void *map_region(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *region = fd < 0 ? MAP_FAILED :
				mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	return region == MAP_FAILED ? NULL : region;
}

/*
 * Adds a colour to a set with open addressing; the slot holds the colour + 1. Returns: whether it
 * is new.
 */
static int add_colour(uint32_t *slots, uint32_t colour)
{
	uint32_t at = (colour * 2654435761u) % N_SLOTS;

	while (slots[at] && slots[at] != colour + 1)
		at = (at + 1) % N_SLOTS;
	if (slots[at])
		return 0;
	slots[at] = colour + 1;
	return 1;
}

/*
 * Finds the middle of the visible screen: the pixels of @memory from *@begin to before *@end. There
 * are none unless the mode has 32 bits per pixel.
 */
static void find_screen(const volatile uint16_t *bochs, size_t *begin, size_t *end)
{
	const size_t first = bochs[Y_OFFSET] + bochs[Y_RESOLUTION] * 2u / 5;
	const size_t last = bochs[Y_OFFSET] + bochs[Y_RESOLUTION] * 3u / 5;

	*begin = first * bochs[VIRTUAL_WIDTH] + bochs[X_OFFSET];
	*end = last * bochs[VIRTUAL_WIDTH] + bochs[X_OFFSET];
	if (!(bochs[ENABLE] & 1) || bochs[BITS] != 32 || *end > MEMORY_BYTES / sizeof(uint32_t))
		*end = *begin;
}

unsigned screen_count_colours(unsigned limit)
{
	static const volatile uint16_t *registers;
	static const volatile uint32_t *memory;
	static uint32_t slots[N_SLOTS];
	uint32_t before = UINT32_MAX;
	unsigned n = 0;
	size_t begin;
	size_t end;

	if (!registers)
		registers = map_region(CARD "resource2", REGISTERS_BYTES);
	if (!memory)
		memory = map_region(CARD "resource0", MEMORY_BYTES);
	if (!registers || !memory)
		return 0;
	find_screen(registers + BOCHS / sizeof(*registers), &begin, &end);
	memset(slots, 0, sizeof(slots));
	for (size_t at = begin; at < end && n < limit; at++) {
		const uint32_t colour = memory[at] & 0xffffff;

		if (colour != before)
			n += (unsigned)add_colour(slots, colour);
		before = colour;
	}
	return n;
}
