/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Netlink: receives notifications on a socket that sends no requests, and passes on lists that
 * svc-worker makes. A notification may be older or newer than a list that is being made, so the
 * list is made again after the notification.
 */
#include "config.h"

#include "loop/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"

/* A dump fills buffers of up to 32 KiB if they are offered (netlink_recvmsg() in the kernel). */
#define DATAGRAM_BYTES (32 * 1024)

#define DATAGRAM_BATCH 16

/* The pause between two lists. It is longer after a list that took long. */
#define LIST_PAUSE_US (50 * G_TIME_SPAN_MILLISECOND)
/* The pause after a list that svc-worker could not make. */
#define LOST_PAUSE_US (5 * G_TIME_SPAN_SECOND)
#define LIST_PAUSE_FACTOR 4

/* The pause before a new socket is opened, after a socket has failed or received invalid data. */
#define REOPEN_US G_TIME_SPAN_SECOND

/* How many lists follow one call of netlink_list(). */
#define LIST_TIMES 2

/* The requests that make up a list. */
static const struct {
	NetlinkList list;
	uint16_t type;
	uint8_t family;
} steps[] = {
	{ NETLINK_LINKS, RTM_GETLINK, AF_UNSPEC },
	{ NETLINK_ROUTES, RTM_GETROUTE, AF_INET },
	{ NETLINK_ROUTES, RTM_GETROUTE, AF_INET6 },
};
#define NO_STEP G_N_ELEMENTS(steps)

typedef struct ListState {
	unsigned times; /* lists still to be made */
	int64_t not_before_us;
} ListState;

struct Netlink {
	int fd; /* -1: the socket is to be opened again */
	FdSource *source;
	Timer *timer; /* opens the socket again, or starts the next list */
	size_t step; /* NO_STEP: no list is running */
	int64_t began_us;
	bool is_spoilt; /* a part of the running list is lost */
	bool is_broken; /* the socket is to be replaced */
	ListState lists[NETLINK_LISTS];
	const NetlinkListener *listener;
	void *data;
	char buffer[DATAGRAM_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
};

bool netlink_walk(const void *bytes, size_t size,
		  bool (*each)(void *data, const struct nlmsghdr *message), void *data)
{
	const char *at = bytes;

	while (size >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *message = (const struct nlmsghdr *)at;
		size_t step;

		if (message->nlmsg_len < sizeof *message || message->nlmsg_len > size)
			return false;
		if (!each(data, message))
			return true;
		step = NLMSG_ALIGN((size_t)message->nlmsg_len);
		if (step >= size)
			return true;
		at += step;
		size -= step;
	}
	return size == 0;
}

const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t fixed_bytes,
				       unsigned short type, size_t min_bytes)
{
	size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(fixed_bytes);

	while (at + sizeof(struct rtattr) <= message->nlmsg_len) {
		const struct rtattr *attribute =
			(const struct rtattr *)((const char *)message + at);

		if (attribute->rta_len < sizeof *attribute ||
		    attribute->rta_len > message->nlmsg_len - at)
			return NULL;
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return RTA_PAYLOAD(attribute) >= min_bytes ? attribute : NULL;
		at += RTA_ALIGN((size_t)attribute->rta_len);
	}
	return NULL;
}

/*
 * Makes the kernel drop notifications of routes other than default routes. A datagram of several
 * messages passes, because the filter sees only the first one.
 */
static bool keep_routes_out(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_type)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 0, 4),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_flags)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, htons(NLM_F_MULTI), 2, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS,
			 NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_dst_len)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { .len = G_N_ELEMENTS(code), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

/*
 * When an interface loses its last address, its IPv4 routes disappear without a notification. So
 * the notifications about addresses are received as well.
 */
static bool join_groups(int fd)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE,
				      RTNLGRP_IPV6_ROUTE };

	for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i],
			       sizeof groups[i]) < 0)
			return false;
	}
	return true;
}

/* Returns: -1 with errno. */
static int open_socket(void)
{
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK };

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
	    !keep_routes_out(fd) || !join_groups(fd))
		return -1;
	return fd_steal(&fd);
}

/* --- a list, in svc-worker --- */

typedef struct Dump {
	GByteArray *list;
	bool is_over;
} Dump;

static bool request(int fd, uint16_t type, uint8_t family)
{
	struct {
		struct nlmsghdr header;
		union {
			struct ifinfomsg link;
			struct rtmsg route;
		} body;
	} request = { 0 };
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	request.header.nlmsg_type = type;
	request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (request.header.nlmsg_type == RTM_GETLINK) {
		request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body.link);
		request.body.link.ifi_family = family;
	} else {
		request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body.route);
		request.body.route.rtm_family = family;
	}
	return sendto(fd, &request, request.header.nlmsg_len, 0, (const struct sockaddr *)&kernel,
		      sizeof kernel) >= 0;
}

/* Only default routes, because a router has a million others. */
static bool is_wanted(const struct nlmsghdr *message)
{
	const struct rtmsg *route = NLMSG_DATA(message);

	return message->nlmsg_type != RTM_NEWROUTE ||
	       message->nlmsg_len < NLMSG_LENGTH(sizeof *route) || route->rtm_dst_len == 0;
}

static bool add_to_dump(void *data, const struct nlmsghdr *message)
{
	static const guint8 padding[NLMSG_ALIGNTO] = { 0 };
	Dump *dump = data;

	if (is_wanted(message)) {
		g_byte_array_append(dump->list, (const guint8 *)message, message->nlmsg_len);
		g_byte_array_append(dump->list, padding,
				    NLMSG_ALIGN(message->nlmsg_len) - message->nlmsg_len);
	}
	dump->is_over = message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR;
	return !dump->is_over;
}

GByteArray *netlink_dump(uint16_t type, uint8_t family, GError **error)
{
	g_autoptr(GByteArray) list = g_byte_array_new();
	g_autofree char *buffer = g_malloc(DATAGRAM_BYTES);
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	Dump dump = { .list = list };
	ssize_t n = fd >= 0 && request(fd, type, family) ? 0 : -1;

	while (n >= 0 && !dump.is_over && list->len <= NETLINK_LIST_BYTES) {
		n = recv(fd, buffer, DATAGRAM_BYTES, 0);
		if (n >= 0 && !netlink_walk(buffer, (size_t)n, add_to_dump, &dump))
			errno = EBADMSG, n = -1;
	}
	if (n < 0)
		return fail_errno(error, errno, "cannot list links and routes"), NULL;
	if (!dump.is_over)
		return fail(error, SVCD_ERROR_FAILED, "the list of links and routes is too long"),
		       NULL;
	return g_steal_pointer(&list);
}

/* --- lists --- */

static void request_lists(Netlink *netlink)
{
	netlink->listener->request(netlink->data, steps[netlink->step].type,
				   steps[netlink->step].family);
}

static size_t first_step_of(NetlinkList list)
{
	size_t step = 0;

	while (steps[step].list != list)
		step++;
	return step;
}

static void begin_list(Netlink *netlink, NetlinkList list, int64_t now_us)
{
	netlink->lists[list].times--;
	netlink->step = first_step_of(list);
	netlink->is_spoilt = false;
	netlink->began_us = now_us;
	netlink->listener->list_begins(netlink->data, list);
	request_lists(netlink);
}

/*
 * Starts the first list that may be made now. If there is none, the timer is armed for the next
 * one.
 */
static void begin_next(Netlink *netlink)
{
	const int64_t now_us = loop_now();
	int64_t nearest_us = INT64_MAX;

	if (netlink->fd < 0 || netlink->step != NO_STEP)
		return;
	for (NetlinkList list = 0; list < NETLINK_LISTS; list++) {
		const ListState *state = &netlink->lists[list];

		if (state->times > 0 && state->not_before_us <= now_us) {
			begin_list(netlink, list, now_us);
			return;
		}
		if (state->times > 0)
			nearest_us = MIN(nearest_us, state->not_before_us);
	}
	if (nearest_us != INT64_MAX)
		timer_arm(netlink->timer, nearest_us);
}

static void end_step(Netlink *netlink)
{
	const NetlinkList list = steps[netlink->step].list;
	ListState *state = &netlink->lists[list];
	const int64_t now_us = loop_now();

	if (!netlink->is_spoilt && netlink->step + 1 < NO_STEP &&
	    steps[netlink->step + 1].list == list) {
		netlink->step++;
		request_lists(netlink);
		return;
	}
	netlink->step = NO_STEP;
	state->not_before_us =
		now_us + MAX(LIST_PAUSE_US, LIST_PAUSE_FACTOR * (now_us - netlink->began_us));
	if (netlink->is_spoilt)
		state->times = MAX(state->times, 1);
	else
		netlink->listener->list_ends(netlink->data, list);
	begin_next(netlink);
}

/*
 * A family or table that the kernel lacks has an empty list. After any other error the list is
 * requested again.
 */
static void on_refusal(Netlink *netlink, const struct nlmsghdr *message)
{
	const struct nlmsgerr *refusal = NLMSG_DATA(message);

	if (message->nlmsg_len < NLMSG_LENGTH(sizeof refusal->error))
		netlink->is_spoilt = true;
	else if (refusal->error != 0 && refusal->error != -ENOENT &&
		 refusal->error != -EOPNOTSUPP && refusal->error != -EAFNOSUPPORT)
		netlink->is_spoilt = true;
}

static bool on_listed(void *data, const struct nlmsghdr *message)
{
	Netlink *netlink = data;

	if (message->nlmsg_flags & NLM_F_DUMP_INTR)
		netlink->is_spoilt = true;
	if (message->nlmsg_type == NLMSG_ERROR) {
		on_refusal(netlink, message);
		return false;
	}
	if (message->nlmsg_type >= RTM_BASE)
		netlink->listener->message(netlink->data, message, true);
	return true;
}

static bool on_answered(void *data, const struct nlmsghdr *message)
{
	Netlink *netlink = data;

	if (message->nlmsg_type < RTM_BASE)
		return true;
	if (netlink->step != NO_STEP) {
		ListState *running = &netlink->lists[steps[netlink->step].list];

		running->times = MAX(running->times, 1);
	}
	netlink->listener->message(netlink->data, message, false);
	return true;
}

/* Notifications are lost, so every list is invalid. */
static void on_loss(Netlink *netlink)
{
	netlink->is_spoilt = true;
	for (NetlinkList list = 0; list < NETLINK_LISTS; list++)
		netlink->lists[list].times = MAX(netlink->lists[list].times, 1);
}

/* Returns: false if there is nothing more to receive now. */
static bool receive(Netlink *netlink)
{
	struct sockaddr_nl sender = { 0 };
	struct iovec part = { netlink->buffer, sizeof netlink->buffer };
	struct msghdr header = {
		.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1
	};
	const ssize_t n = recvmsg(netlink->fd, &header, 0);

	if (n < 0 && errno == ENOBUFS) {
		on_loss(netlink);
		return true;
	}
	if (n < 0) {
		netlink->is_broken = errno != EAGAIN && errno != EINTR;
		return false;
	}
	if (sender.nl_pid != 0)
		return true; /* from another process: ignored */
	if (header.msg_flags & MSG_TRUNC ||
	    !netlink_walk(netlink->buffer, (size_t)n, on_answered, netlink))
		netlink->is_broken = true;
	return !netlink->is_broken;
}

static void close_socket(Netlink *netlink)
{
	g_clear_pointer(&netlink->source, fd_source_free);
	fd_close(&netlink->fd);
	netlink->step = NO_STEP;
	netlink->is_broken = false;
}

/* Continues with the lists, or replaces the socket if it is unusable. */
static void go_on(Netlink *netlink)
{
	if (!netlink->is_broken)
		begin_next(netlink);
	if (!netlink->is_broken)
		return;
	log_debug(NULL, "the rtnetlink socket failed and is replaced");
	close_socket(netlink);
	timer_arm(netlink->timer, loop_now() + REOPEN_US);
}

static void on_readable(GIOCondition condition, void *data)
{
	Netlink *netlink = data;

	(void)condition;
	for (int i = 0; i < DATAGRAM_BATCH && receive(netlink); i++)
		;
	go_on(netlink);
	netlink->listener->turn_ends(netlink->data);
}

static bool open_and_list(Netlink *netlink)
{
	netlink->fd = open_socket();
	if (netlink->fd < 0)
		return false;
	netlink->source =
		fd_source_new(netlink->fd, G_IO_IN, LOOP_PRIORITY_PROVIDER, on_readable, netlink);
	on_loss(netlink);
	go_on(netlink);
	return true;
}

static void on_timer(void *data)
{
	Netlink *netlink = data;

	if (netlink->fd >= 0)
		go_on(netlink);
	else if (!open_and_list(netlink))
		timer_arm(netlink->timer, loop_now() + REOPEN_US);
}

Netlink *netlink_new(const NetlinkListener *listener, void *data, GError **error)
{
	Netlink *netlink = g_new0(Netlink, 1);

	netlink->listener = listener;
	netlink->data = data;
	netlink->step = NO_STEP;
	netlink->timer = timer_new(on_timer, netlink);
	if (!open_and_list(netlink)) {
		fail_errno(error, errno, "cannot ask the kernel for links and routes");
		netlink_free(netlink);
		return NULL;
	}
	return netlink;
}

void netlink_free(Netlink *netlink)
{
	if (!netlink)
		return;
	close_socket(netlink);
	timer_free(netlink->timer);
	g_free(netlink);
}

void netlink_answer(Netlink *netlink, GBytes *list)
{
	gsize size;
	const void *bytes = g_bytes_get_data(list, &size);

	if (netlink->step == NO_STEP)
		return;
	if (!netlink_walk(bytes, size, on_listed, netlink))
		netlink->is_spoilt = true;
	end_step(netlink);
	netlink->listener->turn_ends(netlink->data);
}

void netlink_lost(Netlink *netlink)
{
	ListState *state;

	if (netlink->step == NO_STEP)
		return;
	state = &netlink->lists[steps[netlink->step].list];
	state->times = MAX(state->times, 1);
	state->not_before_us = loop_now() + LOST_PAUSE_US;
	netlink->step = NO_STEP;
	begin_next(netlink);
}

void netlink_list(Netlink *netlink, NetlinkList list)
{
	netlink->lists[list].times = LIST_TIMES;
	begin_next(netlink);
}
