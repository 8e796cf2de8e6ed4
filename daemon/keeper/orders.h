/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orders: what the manager says, read and carried out.
 */
#ifndef SVCD_KEEPER_ORDERS_H
#define SVCD_KEEPER_ORDERS_H

enum OrdersResult {
	ORDERS_EMPTY, /* nothing more to read now */
	ORDERS_MORE,  /* the turn's share is done, there is more */
	ORDERS_END,   /* the manager has closed its end */
};

/* Carries out up to @max messages from @fd. */
enum OrdersResult orders_read(int fd, unsigned int max);

#endif
