/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain, one term: sentences about the condition, about what exists in its place, and about the
 * remedy.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "engine/engine-private.h"
#include "model/name.h"

/* --- the condition --- */

/* The text around the condition's argument. For other prefixes the key itself is printed. */
static const struct {
	const char *before;
	const char *after;
} labels[KEY_COUNT] = {
	[KEY_DBUS] = { "the bus name ", "" },       [KEY_INSTALLED] = { "the package of ", "" },
	[KEY_LABEL] = { "a volume labelled ", "" }, [KEY_UUID] = { "a volume with the UUID ", "" },
	[KEY_DEVICE] = { "the device ", "" },       [KEY_UDEV] = { "a device with ", "" },
};

static char *describe_network(const char *argument)
{
	if (strcmp(argument, "up") == 0)
		return g_strdup("the network to be up");
	if (strcmp(argument, "online") == 0)
		return g_strdup("the network to be online");
	return g_strdup_printf("a carrier on the interface %s", strchr(argument, ':') + 1);
}

/* NAME PATH INTERFACE.PROPERTY OP VALUE */
static char *describe_property(const char *key)
{
	g_auto(GStrv) tokens = key_argument_tokens(key);

	return g_strdup_printf("%s %s %s at %s of %s", tokens[2], tokens[3], tokens[4], tokens[1],
			       tokens[0]);
}

/* The condition as a noun phrase, in a new string; NULL if the key is clear enough. */
static char *describe_label(const Condition *c, bool is_negated)
{
	if (is_negated && (c->prefix == KEY_NETWORK || c->prefix == KEY_DBUS_PROPERTY))
		return NULL; /* their texts describe a state, which cannot "disappear" */
	if (c->prefix == KEY_NETWORK)
		return describe_network(key_argument(c->key));
	if (c->prefix == KEY_DBUS_PROPERTY)
		return describe_property(c->key);
	if (!labels[c->prefix].before)
		return NULL;
	return g_strconcat(labels[c->prefix].before, key_argument(c->key), labels[c->prefix].after,
			   NULL);
}

/*
 * The reason and what exists instead, such as ": no such volume; labels present: EFI, ROOT"; a new
 * string.
 */
static char *describe_rest(const Engine *engine, const Condition *c)
{
	g_autofree char *alternatives = NULL;

	if (engine->ops.describe && !key_prefix_is_internal(c->prefix))
		alternatives = engine->ops.describe(engine->data, c->prefix, c->key);
	return g_strconcat(c->why ? ": " : "", c->why ? c->why : "", alternatives ? "; " : "",
			   alternatives ? alternatives : "", NULL);
}

/* How much longer a service waits for an unknown level; a new string. */
static char *describe_patience(const Engine *engine, const Condition *c, int64_t now_us)
{
	return text_format_duration(MAX(condition_stale_at(engine, c) - now_us, 0));
}

/* @label: from describe_label(). */
static char *describe_wait(const Engine *engine, const Condition *c, bool is_negated,
			   const char *label, const char *rest, int64_t now_us)
{
	g_autofree char *left = NULL;

	if (c->level == LEVEL_UNKNOWN && c->is_stale)
		return g_strdup_printf("waiting for %s, which is not known, and counts as false%s",
				       label, rest);
	if (c->level == LEVEL_UNKNOWN) {
		left = describe_patience(engine, c, now_us);
		return g_strdup_printf("waiting for %s, not known yet%s; in %s it counts as false",
				       label, rest, left);
	}
	return g_strdup_printf("waiting for %s%s%s", label, is_negated ? " to disappear" : "",
			       rest);
}

static char *describe_key(const Engine *engine, const Condition *c, bool is_negated,
			  const char *rest, int64_t now_us)
{
	g_autofree char *left = NULL;

	if (c->level == LEVEL_UNKNOWN && c->is_stale)
		return g_strdup_printf("%s is not known, and counts as false%s", c->key, rest);
	if (c->level == LEVEL_UNKNOWN) {
		left = describe_patience(engine, c, now_us);
		return g_strdup_printf("%s is not known yet%s; in %s it counts as false", c->key,
				       rest, left);
	}
	if (c->prefix == KEY_SETTLED && c->level == LEVEL_FALSE)
		return g_strdup_printf("%s has not settled", key_argument(c->key));
	if (is_negated && c->prefix == KEY_ACTIVE)
		return g_strdup_printf("%s still runs", key_argument(c->key));
	return g_strdup_printf("%s is %s%s", c->key, level_name(c->level), rest);
}

static char *describe_literal(const Subscription *subscription, unsigned i, int64_t now_us)
{
	const Engine *engine = subscription->service->priv->engine;
	const Condition *c = subscription->conditions[i];
	const bool is_negated = term_literal(subscription->term, i)->negated;
	g_autofree char *label = describe_label(c, is_negated);
	g_autofree char *rest = describe_rest(engine, c);

	if (subscription_mount_ends(subscription, i))
		return g_strdup_printf("%s is about to stop, which unmounts %s",
				       c->subject->def->name, key_argument(c->key));
	if (label)
		return describe_wait(engine, c, is_negated, label, rest, now_us);
	return describe_key(engine, c, is_negated, rest, now_us);
}

char *subscription_describe(const Subscription *subscription, int64_t now_us)
{
	g_autofree char *origin = origin_format(subscription->term->origin);
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		g_autofree char *literal = describe_literal(subscription, i, now_us);

		g_string_append_printf(text, "%s%s", i ? ", and " : "", literal);
	}
	g_string_append_printf(text, " (%s).", origin);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* --- the remedy --- */

static char *advise_property(const char *key)
{
	g_auto(GStrv) tokens = key_argument_tokens(key);
	const char *dot = strrchr(tokens[2], '.');

	return g_strdup_printf("gdbus call --system --dest %s --object-path %s "
			       "--method org.freedesktop.DBus.Properties.Get %.*s %s",
			       tokens[0], tokens[1], (int)(dot - tokens[2]), tokens[2], dot + 1);
}

static char *advise_network(const char *argument)
{
	if (strcmp(argument, "up") == 0)
		return g_strdup("ip route show default");
	if (strcmp(argument, "online") == 0)
		return g_strdup("ip route show default; nmcli networking connectivity check");
	return g_strdup_printf("ip link show %s", strchr(argument, ':') + 1);
}

static char *advise_label(const char *label)
{
	g_autofree char *quoted = g_shell_quote(label);

	return g_strdup_printf(
		"Plug the volume in, or label one of those that \"lsblk -f\" shows: e2label "
		"DEVICE %s "
		"(ext4), fatlabel, btrfs filesystem label.",
		quoted);
}

static char *advise_flag(const char *flag, bool is_negated)
{
	g_autofree char *owner = name_flag_owner(flag);

	/* An admin cannot set a flag that has another owner, only clear it. */
	if (owner && !is_negated)
		return g_strdup_printf("It is set by the program that owns the bus name %s.",
				       owner);
	return g_strdup_printf("svcctl flag %s %s", is_negated ? "clear" : "set", flag);
}

/*
 * The service that must run to make a level known, and this requirement as text; NULL if no service
 * is needed.
 */
static const struct {
	const char *service;
	const char *event_text;
} sources[KEY_COUNT] = {
	[KEY_DBUS] = { "dbus", "the bus runs" }, [KEY_DBUS_PROPERTY] = { "dbus", "the bus runs" },
	[KEY_LABEL] = { "udev", "udev runs" },   [KEY_UUID] = { "udev", "udev runs" },
	[KEY_DEVICE] = { "udev", "udev runs" },  [KEY_UDEV] = { "udev", "udev runs" },
};

static const char *bus_name_of(const Condition *c)
{
	const char *argument = key_argument(c->key);

	if (c->prefix == KEY_DBUS)
		return g_intern_string(argument);
	if (c->prefix == KEY_DBUS_PROPERTY) {
		g_autofree char *name = g_strndup(argument, strcspn(argument, " "));

		return g_intern_string(name);
	}
	if (c->prefix == KEY_FLAG) {
		g_autofree char *owner = name_flag_owner(argument);

		return owner ? g_intern_string(owner) : NULL;
	}
	return NULL;
}

Service *condition_watcher(const Engine *engine, const Condition *c)
{
	return sources[c->prefix].service ? engine_find(engine, sources[c->prefix].service) : NULL;
}

void condition_watcher_settled(const Service *s)
{
	const Engine *engine = s->priv->engine;
	bool is_watcher = false;
	GHashTableIter iter;
	gpointer c;

	for (unsigned i = 0; i < KEY_COUNT && !is_watcher; i++)
		is_watcher = sources[i].service && engine_find(engine, sources[i].service) == s;
	g_hash_table_iter_init(&iter, engine->conditions);
	while (is_watcher && g_hash_table_iter_next(&iter, NULL, &c)) {
		const GPtrArray *subscriptions = ((const Condition *)c)->subscriptions;

		for (unsigned i = 0;
		     ((const Condition *)c)->level == LEVEL_UNKNOWN && i < subscriptions->len;
		     i++) {
			const Subscription *it = g_ptr_array_index(subscriptions, i);

			engine_queue(it->service, WORK_STEP);
		}
	}
}

Service *condition_maker(const Engine *engine, const Condition *c)
{
	const char *bus_name = bus_name_of(c);
	const ServiceDef *def =
		bus_name && engine->definitions ?
			service_set_find_bus_name(engine->definitions->set, bus_name) :
			NULL;

	return def ? engine_find(engine, def->name) : NULL;
}

Service *condition_source(const Engine *engine, const Condition *c)
{
	return c->level == LEVEL_UNKNOWN ? condition_watcher(engine, c) :
					   condition_maker(engine, c);
}

char *condition_advise(const Condition *c, bool is_negated)
{
	const char *argument = key_argument(c->key);

	if (c->level == LEVEL_UNKNOWN && sources[c->prefix].event_text)
		return g_strdup_printf("It is checked again as soon as %s.",
				       sources[c->prefix].event_text);
	switch (c->prefix) {
	case KEY_FLAG:
		return advise_flag(argument, is_negated);
	case KEY_INSTALLED:
		return g_strdup("It is checked again when the package manager has finished.");
	case KEY_PATH:
		if (c->level == LEVEL_UNKNOWN) /* the reason names the missing object */
			return NULL;
		return g_strdup_printf("It is checked again as soon as %s %s.",
				       strchr(argument, '/'), is_negated ? "is gone" : "is there");
	case KEY_MOUNTED:
		return g_strdup_printf("It is checked again as soon as %s is mounted on %s.",
				       is_negated ? "nothing" : "something", argument);
	case KEY_KERNEL:
	case KEY_VIRTUAL:
		return g_strdup_printf("%s does not change until the next boot.", c->key);
	case KEY_DBUS:
		if (is_negated)
			return g_strdup_printf("It is checked again as soon as %s leaves the bus.",
					       argument);
		return g_strdup_printf(
			"Start the program that takes the name %s; no service has Ready=dbus:%s.",
			argument, argument);
	case KEY_DBUS_PROPERTY:
		return advise_property(c->key);
	case KEY_NETWORK:
		return advise_network(argument);
	case KEY_LABEL:
		return is_negated ? g_strdup("Unplug the volume, or give it another label.") :
				    advise_label(argument);
	case KEY_UUID:
		return g_strdup_printf("%s; \"lsblk -f\" shows what is there.",
				       is_negated ? "Unplug the volume" : "Plug the volume in");
	case KEY_DEVICE:
		return g_strdup_printf("udevadm info --name=%s", argument);
	case KEY_UDEV:
		return g_strdup(
			"\"udevadm info --export-db\" shows all devices with their properties.");
	case KEY_DUE:
	case KEY_TIME: /* the reason contains the time */
	case KEY_SERVICE:
	case KEY_SETTLED:
	case KEY_ACTIVE:
	case KEY_HEALTHY:
	case KEY_FACILITY:
	case KEY_COUNT:
		break;
	}
	return NULL;
}
