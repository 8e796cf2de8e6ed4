/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper link: sends datagrams through a queue, and dispatches received datagrams by a table of
 * handlers.
 */
#include "config.h"

#include "process/keeper-link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "loop/loop.h"

/* The number of waiters that are resumed at a time. Together they send less than a socket takes. */
#define LET_IN 4

/* A datagram that the socket has not taken yet. */
typedef struct Outgoing {
	GBytes *bytes;
	int fds[PROTOCOL_MAX_FDS];
	unsigned n_fds;
} Outgoing;

struct KeeperLink {
	int fd;
	FdSource *source;
	bool disposes; /* the keeper supports MESSAGE_DISPOSE */
	const KeeperListener *listener;
	void *data;
	GQueue outgoing; /* Outgoing *; empty unless the socket is full */
	GQueue waiting; /* Timer *, borrowed: starts that wait until the link is writable */
	bool is_closed;
};

static void outgoing_free(Outgoing *out)
{
	for (unsigned i = 0; i < out->n_fds; i++)
		fd_close(&out->fds[i]);
	g_bytes_unref(out->bytes);
	g_free(out);
}

/* Returns 0, or the error number of sendmsg(2). */
static int send_datagram(int fd, const void *bytes, size_t size, const int *fds, unsigned n_fds)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * PROTOCOL_MAX_FDS)];
	} control;
	struct iovec iov = { .iov_base = (void *)bytes, .iov_len = size };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n_fds > 0) {
		struct cmsghdr *header;

		memset(&control, 0, sizeof control);
		message.msg_control = control.space;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(header), fds, sizeof(int) * n_fds);
	}
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

static bool is_temporary(int errnum)
{
	/*
	 * ETOOMANYREFS: too many descriptors are in flight (unix(7)). The keeper's next read frees
	 * them.
	 */
	return errnum == EAGAIN || errnum == EINTR || errnum == ENOBUFS || errnum == ETOOMANYREFS;
}

static void watch_for_writable(KeeperLink *link)
{
	fd_source_set_events(link->source,
			     G_IO_IN | (g_queue_is_empty(&link->outgoing) ? 0 : G_IO_OUT));
}

/*
 * Resumes a few waiters. Each resumes the next one if the link is still writable, and otherwise
 * waits again.
 */
static void resume_waiters(KeeperLink *link, int n)
{
	Timer *timer;

	while (n-- > 0 && (timer = g_queue_pop_head(&link->waiting)))
		timer_arm(timer, loop_now());
}

static void flush_outgoing(KeeperLink *link)
{
	Outgoing *out;

	while ((out = g_queue_peek_head(&link->outgoing))) {
		int errnum = send_datagram(link->fd, g_bytes_get_data(out->bytes, NULL),
					   g_bytes_get_size(out->bytes), out->fds, out->n_fds);

		if (is_temporary(errnum))
			break;
		if (errnum)
			log_error(NULL, "a message to the keeper is lost: %s", g_strerror(errnum));
		outgoing_free(g_queue_pop_head(&link->outgoing));
	}
	watch_for_writable(link);
	if (g_queue_is_empty(&link->outgoing))
		resume_waiters(link, LET_IN);
}

bool keeper_link_wait(KeeperLink *link, Timer *timer)
{
	if (!g_queue_is_empty(&link->outgoing)) {
		g_queue_push_tail(&link->waiting, timer);
		return true;
	}
	resume_waiters(link, 1);
	return false;
}

void keeper_link_wait_no_more(KeeperLink *link, const Timer *timer)
{
	/* A waiter that was resumed, and now gives up, will not resume the next one itself. */
	if (!g_queue_remove(&link->waiting, timer) && g_queue_is_empty(&link->outgoing))
		resume_waiters(link, 1);
}

static void enqueue(KeeperLink *link, const void *bytes, size_t size, const int *fds,
		    unsigned n_fds)
{
	Outgoing *out = g_new0(Outgoing, 1);

	out->bytes = g_bytes_new(bytes, size);
	for (unsigned i = 0; i < n_fds; i++)
		out->fds[out->n_fds++] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
	g_queue_push_tail(&link->outgoing, out);
	watch_for_writable(link);
}

static void send_or_enqueue(KeeperLink *link, const void *bytes, size_t size, const int *fds,
			    unsigned n_fds)
{
	int errnum = EAGAIN;

	if (link->is_closed)
		return;
	if (g_queue_is_empty(&link->outgoing))
		errnum = send_datagram(link->fd, bytes, size, fds, n_fds);
	if (is_temporary(errnum))
		enqueue(link, bytes, size, fds, n_fds);
	else if (errnum)
		log_error(NULL, "a message to the keeper is lost: %s", g_strerror(errnum));
}

/* @bytes begins with a MessageHeader, which this function fills in. */
static void link_send(KeeperLink *link, enum MessageType type, void *bytes, size_t size,
		      const int *fds, unsigned n_fds)
{
	struct MessageHeader *header = bytes;

	header->type = type;
	header->size = (uint32_t)size;
	send_or_enqueue(link, bytes, size, fds, n_fds);
}

/* --- receiving --- */

typedef struct Incoming {
	union {
		struct MessageHeader header;
		char bytes[PROTOCOL_MESSAGE_BYTES];
		struct MessageWelcome welcome;
		struct MessagePing ping;
		struct MessageSpawned spawned;
		struct MessageExited exited;
		struct MessageAdopted adopted;
		struct MessageNote note;
		struct MessageKeep kept;
		struct MessageShutdown shutdown;
		struct MessageReplayed replayed;
		struct MessageRequest request;
	};
	int fd; /* from a KEPT message, or -1 */
} Incoming;

/* Terminates the text inside its field, whatever was received. */
#define END_TEXT(field) ((field)[sizeof(field) - 1] = '\0')

static void on_welcome(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->welcome.cgroup_root);
	END_TEXT(in->welcome.virtualization);
	link->disposes = in->welcome.flags & WELCOME_DISPOSES;
	link->listener->welcome(link->data, &in->welcome);
}

static void on_ping(KeeperLink *link, Incoming *in)
{
	struct MessagePing pong = { .serial = in->ping.serial };

	link_send(link, MESSAGE_PONG, &pong, sizeof pong, NULL, 0);
}

static void on_spawned(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->spawned.id.service);
	link->listener->spawned(link->data, &in->spawned);
}

static void on_exited(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->exited.id.service);
	link->listener->exited(link->data, &in->exited);
}

static void on_adopted(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->adopted.id.service);
	link->listener->adopted(link->data, &in->adopted);
}

static void on_note(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->note.service);
	END_TEXT(in->note.note);
	link->listener->note(link->data, &in->note);
}

static void on_kept(KeeperLink *link, Incoming *in)
{
	END_TEXT(in->kept.name);
	if (in->fd >= 0)
		link->listener->kept(link->data, in->kept.name, fd_steal(&in->fd));
}

static void on_shutdown_intent(KeeperLink *link, Incoming *in)
{
	link->listener->shutdown_intent(link->data, &in->shutdown);
}

static void on_replayed(KeeperLink *link, Incoming *in)
{
	link->listener->replayed(link->data, &in->replayed);
}

static void on_request(KeeperLink *link, Incoming *in)
{
	link->listener->request(link->data, (enum RequestKind)in->request.kind);
}

static const struct {
	enum MessageType type;
	size_t min_size;
	void (*handle)(KeeperLink *link, Incoming *in);
} handlers[] = {
	{ MESSAGE_WELCOME, sizeof(struct MessageWelcome), on_welcome },
	{ MESSAGE_PING, sizeof(struct MessagePing), on_ping },
	{ MESSAGE_SPAWNED, sizeof(struct MessageSpawned), on_spawned },
	{ MESSAGE_EXITED, sizeof(struct MessageExited), on_exited },
	{ MESSAGE_ADOPTED, sizeof(struct MessageAdopted), on_adopted },
	{ MESSAGE_NOTE, sizeof(struct MessageNote), on_note },
	{ MESSAGE_KEPT, sizeof(struct MessageKeep), on_kept },
	{ MESSAGE_SHUTDOWN_INTENT, sizeof(struct MessageShutdown), on_shutdown_intent },
	{ MESSAGE_REPLAYED, sizeof(struct MessageReplayed), on_replayed },
	{ MESSAGE_REQUEST, sizeof(struct MessageRequest), on_request },
};

static void dispatch_message(KeeperLink *link, Incoming *in, size_t size)
{
	for (size_t i = 0; i < G_N_ELEMENTS(handlers); i++) {
		if (handlers[i].type != in->header.type)
			continue;
		if (size >= handlers[i].min_size)
			handlers[i].handle(link, in);
		else
			log_error(NULL, "the keeper sent a message of type %u that is too short",
				  in->header.type);
		return;
	}
	log_debug(NULL, "the keeper sent a message of unknown type %u", in->header.type);
}

static void take_descriptor(struct msghdr *message, int *ret_fd)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
			/*
			 * a message carries one descriptor; more can come only from a newer keeper
			 */
			fd_close(ret_fd);
			*ret_fd = fd;
		}
	}
}

/* Returns: false if no more message is available. */
static bool receive_one(KeeperLink *link)
{
	/*
	 * not cleared: clearing 16 KiB costs more than the rest, and only the received bytes are
	 * read
	 */
	Incoming in;
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * 4)];
	} control;
	struct iovec iov = { .iov_base = in.bytes, .iov_len = sizeof in.bytes };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	ssize_t n = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	in.fd = -1;
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		link->is_closed = true;
		link->listener->closed(link->data);
		return false;
	}
	take_descriptor(&message, &in.fd);
	if ((size_t)n >= sizeof(struct MessageHeader))
		dispatch_message(link, &in, (size_t)n);
	fd_close(&in.fd);
	return true;
}

static void on_link_ready(GIOCondition condition, void *data)
{
	KeeperLink *link = data;

	if (condition & G_IO_OUT)
		flush_outgoing(link);
	if (!(condition & (G_IO_IN | G_IO_HUP | G_IO_ERR)))
		return;
	for (int i = 0; i < LIMIT_KEEPER_BATCH && !link->is_closed && receive_one(link); i++)
		;
	if (link->is_closed)
		fd_source_set_events(link->source, 0);
}

/* --- sending --- */

void process_id_init(struct ProcessId *id, const char *service, enum ProcessRole role,
		     uint64_t invocation)
{
	memset(id, 0, sizeof *id);
	g_strlcpy(id->service, service, sizeof id->service);
	id->invocation = invocation;
	id->role = role;
}

/* The variable part of a spawn message, appended to the fixed part. */
static bool append_strings(GByteArray *bytes, const char *const *strings, uint32_t *ret_count)
{
	uint32_t n = 0;

	for (; strings && strings[n]; n++) {
		g_byte_array_append(bytes, (const guint8 *)strings[n],
				    (guint)strlen(strings[n]) + 1);
		if (bytes->len > PROTOCOL_MESSAGE_BYTES)
			return false;
	}
	*ret_count = n;
	return true;
}

static void spawn_fill_ids(struct MessageSpawn *spawn, const SpawnParameters *r)
{
	process_id_init(&spawn->id, r->service, r->role, r->invocation);
	g_strlcpy(spawn->note, r->note ? r->note : "", sizeof spawn->note);
	spawn->uid = r->uid;
	spawn->gid = r->gid;
	spawn->umask = r->umask;
	spawn->nice = r->nice;
	spawn->oom_score_adj = r->oom_score_adjust;
	spawn->n_groups = r->has_groups ? r->n_groups : 0;
	spawn->n_rlimits = r->n_rlimits;
	spawn->n_inherited = r->n_inherited;
	spawn->flags = (r->stdin_fd >= 0 ? SPAWN_STDIO : 0) |
		       (r->cgroup_fd >= 0 ? SPAWN_CGROUP : 0) |
		       (r->status_fd >= 0 ? SPAWN_STATUS : 0) | (r->has_uid ? SPAWN_SET_UID : 0) |
		       (r->has_gid ? SPAWN_SET_GID : 0) | (r->has_groups ? SPAWN_SET_GROUPS : 0) |
		       (r->has_nice ? SPAWN_SET_NICE : 0) | (r->has_umask ? SPAWN_SET_UMASK : 0) |
		       (r->has_oom ? SPAWN_SET_OOM : 0) | (r->directory ? SPAWN_SET_DIRECTORY : 0);
}

static unsigned spawn_collect_fds(const SpawnParameters *r, int *fds)
{
	unsigned n = 0;

	if (r->stdin_fd >= 0) {
		fds[n++] = r->stdin_fd;
		fds[n++] = r->stdout_fd;
		fds[n++] = r->stderr_fd;
	}
	if (r->cgroup_fd >= 0)
		fds[n++] = r->cgroup_fd;
	if (r->status_fd >= 0)
		fds[n++] = r->status_fd;
	for (unsigned i = 0; i < r->n_inherited; i++)
		fds[n++] = r->inherited[i];
	return n;
}

bool keeper_link_spawn(KeeperLink *link, const SpawnParameters *r, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	struct MessageSpawn spawn = { 0 };
	int fds[PROTOCOL_MAX_FDS];

	if (r->n_inherited + 5 > PROTOCOL_MAX_FDS || r->n_groups > PROTOCOL_MAX_GROUPS ||
	    r->n_rlimits > PROTOCOL_MAX_RLIMITS)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "too many descriptors, groups or limits for one process");
	spawn_fill_ids(&spawn, r);
	g_byte_array_append(bytes, (const guint8 *)&spawn, sizeof spawn);
	for (unsigned i = 0; i < spawn.n_groups; i++) {
		uint32_t gid = r->groups[i];

		g_byte_array_append(bytes, (const guint8 *)&gid, sizeof gid);
	}
	for (unsigned i = 0; i < r->n_rlimits; i++)
		g_byte_array_append(bytes, (const guint8 *)&r->rlimits[i], sizeof r->rlimits[i]);
	if (r->directory)
		g_byte_array_append(bytes, (const guint8 *)r->directory,
				    (guint)strlen(r->directory) + 1);
	if (!append_strings(bytes, r->argv, &spawn.argc) ||
	    !append_strings(bytes, r->environment, &spawn.envc) ||
	    bytes->len > PROTOCOL_MESSAGE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "its command line and environment exceed %d bytes",
			    PROTOCOL_MESSAGE_BYTES - (int)sizeof spawn);
	memcpy(bytes->data, &spawn, sizeof spawn);
	link_send(link, MESSAGE_SPAWN, bytes->data, bytes->len, fds, spawn_collect_fds(r, fds));
	return true;
}

void keeper_link_ack(KeeperLink *link, const struct ProcessId *id, const char *note)
{
	struct MessageAck ack = { .id = *id };

	g_strlcpy(ack.note, note ? note : "", sizeof ack.note);
	link_send(link, MESSAGE_ACK, &ack, sizeof ack, NULL, 0);
}

void keeper_link_note(KeeperLink *link, const char *service, const char *note)
{
	struct MessageNote message = { 0 };

	g_strlcpy(message.service, service, sizeof message.service);
	g_strlcpy(message.note, note, sizeof message.note);
	link_send(link, MESSAGE_NOTE, &message, sizeof message, NULL, 0);
}

void keeper_link_signal(KeeperLink *link, const struct ProcessId *id, int signo)
{
	struct MessageSignal message = { .id = *id, .signo = signo };

	link_send(link, MESSAGE_SIGNAL, &message, sizeof message, NULL, 0);
}

void keeper_link_adopt(KeeperLink *link, const struct ProcessId *id, pid_t pid)
{
	struct MessageAdopt message = { .id = *id, .pid = pid };

	link_send(link, MESSAGE_ADOPT, &message, sizeof message, NULL, 0);
}

static void send_forget(KeeperLink *link, const char *name, uint32_t flags)
{
	struct MessageForget message = { .flags = flags };

	g_strlcpy(message.name, name, sizeof message.name);
	link_send(link, MESSAGE_FORGET, &message, sizeof message, NULL, 0);
}

pid_t keeper_link_keeper_pid(const KeeperLink *link)
{
	(void)link;
	return getppid(); /* the socket's peer credentials hold the same PID (of this namespace) */
}

void keeper_link_keep(KeeperLink *link, const char *name, int fd)
{
	struct MessageKeep message = { 0 };

	g_strlcpy(message.name, name, sizeof message.name);
	link_send(link, MESSAGE_KEEP, &message, sizeof message, &fd, 1);
}

void keeper_link_forget(KeeperLink *link, const char *name)
{
	send_forget(link, name, 0);
}

void keeper_link_forget_ended(KeeperLink *link, const char *name)
{
	send_forget(link, name, FORGET_ENDED);
}

/*
 * Two messages, because PID 1 may close its copy only after ours is closed. If the second message
 * is lost, PID 1 closes the descriptor when this manager ends.
 */
void keeper_link_dispose(KeeperLink *link, int fd)
{
	struct MessageDispose message = { 0 };

	/* after the keeper has closed the link, this manager ends, and its exit closes @fd */
	if (fd < 0 || link->is_closed)
		return;
	if (link->disposes)
		link_send(link, MESSAGE_DISPOSE, &message, sizeof message, &fd, 1);
	fd_close(&fd);
	if (link->disposes)
		link_send(link, MESSAGE_DISPOSE, &message, sizeof message, NULL, 0);
}

static void send_shutdown(KeeperLink *link, enum MessageType type, enum ShutdownKind kind,
			  unsigned deadline_ms)
{
	struct MessageShutdown message = { .kind = kind, .deadline_ms = deadline_ms };

	link_send(link, type, &message, sizeof message, NULL, 0);
}

void keeper_link_shutdown(KeeperLink *link, enum ShutdownKind kind, unsigned deadline_ms)
{
	send_shutdown(link, MESSAGE_SHUTDOWN, kind, deadline_ms);
}

void keeper_link_finale(KeeperLink *link, enum ShutdownKind kind)
{
	send_shutdown(link, MESSAGE_FINALE, kind, 0);
}

void keeper_link_reexec(KeeperLink *link)
{
	struct MessageReexec message = { 0 };

	link_send(link, MESSAGE_REEXEC, &message, sizeof message, NULL, 0);
}

KeeperLink *keeper_link_new(int fd, const KeeperListener *listener, void *data)
{
	KeeperLink *link = g_new0(KeeperLink, 1);
	struct MessageHello hello = { .version = PROTOCOL_VERSION };

	link->fd = fd;
	link->listener = listener;
	link->data = data;
	g_queue_init(&link->outgoing);
	g_queue_init(&link->waiting);
	link->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_KEEPER, on_link_ready, link);
	link_send(link, MESSAGE_HELLO, &hello, sizeof hello, NULL, 0);
	return link;
}

void keeper_link_free(KeeperLink *link)
{
	if (!link)
		return;
	g_queue_clear_full(&link->outgoing, (GDestroyNotify)outgoing_free);
	g_queue_clear(&link->waiting);
	fd_source_free(link->source);
	fd_close(&link->fd);
	g_free(link);
}
