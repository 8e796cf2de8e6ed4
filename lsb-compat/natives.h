/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Natives: the services with a file of their own, as the caller of lsb_read() supplies them.
 */
#ifndef SVCD_LSB_COMPAT_NATIVES_H
#define SVCD_LSB_COMPAT_NATIVES_H

/* The services with a file of their own, without those made from scripts. */
typedef struct LsbNatives {
	/*
	 * Returns: the name of the service that is called @name or has it in its Provides=; NULL if
	 * there is none. It must stay valid while lsb_read() runs.
	 */
	const char *(*find)(const void *data, const char *name);
	const void *data;
} LsbNatives;

#endif
