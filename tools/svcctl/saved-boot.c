/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Saved boot: the services become BootTimes, as if they came from the manager. So the same code
 * computes the chain of this boot and of an earlier one.
 */
#include "config.h"

#include "svcctl/saved-boot.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"
#include "svcctl/boot-changes.h"
#include "svcctl/boot-shutdown.h"
#include "svcctl/exit-code.h"

/* --- members --- */

static JsonObject *object_member(JsonObject *object, const char *name)
{
	JsonNode *node = name ? json_object_get_member(object, name) : NULL;

	if (!name)
		return object;
	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *array_member(JsonObject *object, const char *name)
{
	JsonNode *node = object ? json_object_get_member(object, name) : NULL;

	return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static JsonNode *value_member(JsonObject *object, const char *name)
{
	JsonNode *node = object ? json_object_get_member(object, name) : NULL;

	return node && JSON_NODE_HOLDS_VALUE(node) ? node : NULL;
}

/* 0 also for a negative number, because no member is negative. */
static int64_t int_member(JsonObject *object, const char *name)
{
	JsonNode *node = value_member(object, name);

	return node ? MAX(json_node_get_int(node), 0) : 0;
}

static const char *text_member(JsonObject *object, const char *name)
{
	JsonNode *node = value_member(object, name);
	const char *text = node ? json_node_get_string(node) : NULL;

	return text ? text : ""; /* a number */
}

int64_t saved_boot_int(const SavedBoot *boot, const char *group, const char *member)
{
	return int_member(object_member(boot->object, group), member);
}

const char *saved_boot_text(const SavedBoot *boot, const char *group, const char *member)
{
	return text_member(object_member(boot->object, group), member);
}

char **saved_boot_strings(JsonObject *object, const char *member)
{
	JsonArray *array = array_member(object, member);
	GStrvBuilder *builder = g_strv_builder_new();
	char **strings;

	for (guint i = 0; array && i < json_array_get_length(array); i++) {
		JsonNode *node = json_array_get_element(array, i);

		if (json_node_get_value_type(node) == G_TYPE_STRING)
			g_strv_builder_add(builder, json_node_get_string(node));
	}
	strings = g_strv_builder_end(builder);
	g_strv_builder_unref(builder);
	return strings;
}

int64_t saved_boot_of_service(const SavedBoot *boot, const char *name, const char *member)
{
	return int_member(g_hash_table_lookup(boot->services, name), member);
}

int64_t saved_boot_total(const SavedBoot *boot)
{
	return saved_boot_int(boot, NULL, "firmware_us") + saved_boot_int(boot, NULL, "kernel_us") +
	       saved_boot_int(boot, NULL, "svcd_us");
}

GPtrArray *saved_boot_stops(const SavedBoot *boot, int64_t least_us)
{
	GPtrArray *stops = g_ptr_array_new_with_free_func(g_free);
	JsonArray *array = array_member(object_member(boot->object, "shutdown"), "stops");

	for (guint i = 0; array && i < json_array_get_length(array); i++) {
		JsonNode *node = json_array_get_element(array, i);
		JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) :
								    NULL;
		SavedStop *stop;

		if (int_member(object, "stop_us") < least_us)
			continue;
		stop = g_new0(SavedStop, 1);
		stop->name = text_member(object, "name");
		stop->from_us = int_member(object, "from_us");
		stop->took_us = int_member(object, "stop_us");
		stop->is_stopped = int_member(object, "stopped");
		stop->is_in_chain = int_member(object, "in_chain");
		stop->waited_for = text_member(object, "waited_for_service");
		g_ptr_array_add(stops, stop);
	}
	return stops;
}

/* --- the record --- */

static GVariant *time_of(JsonObject *service)
{
	return g_variant_new("(sttttsss)", text_member(service, "name"),
			     (guint64)int_member(service, "wanted_us"),
			     (guint64)int_member(service, "allowed_us"),
			     (guint64)int_member(service, "started_us"),
			     (guint64)int_member(service, "over_us"),
			     text_member(service, "result"), text_member(service, "waited_for"),
			     text_member(service, "waited_for_service"));
}

SavedBoot *saved_boot_new(JsonObject *object, unsigned number, GError **error)
{
	g_autoptr(SavedBoot) boot = g_new0(SavedBoot, 1);
	JsonArray *services = array_member(object, "services");
	g_autoptr(GVariant) array = NULL;
	GVariantBuilder builder;

	boot->number = number;
	boot->object = object;
	boot->services = g_hash_table_new(g_str_hash, g_str_equal);
	g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sttttsss)"));
	for (guint i = 0; services && i < json_array_get_length(services); i++) {
		JsonNode *node = json_array_get_element(services, i);
		JsonObject *service = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) :
								     NULL;

		if (!*text_member(service, "name"))
			continue;
		g_hash_table_insert(boot->services, (gpointer)text_member(service, "name"),
				    service);
		g_variant_builder_add_value(&builder, time_of(service));
	}
	array = g_variant_ref_sink(g_variant_builder_end(&builder));
	boot->times = boot_times_new(array);
	if (services)
		return g_steal_pointer(&boot);
	fail(error, SVCD_ERROR_FAILED, "boot %u: the record has no list of services", number);
	return NULL;
}

void saved_boot_free(SavedBoot *boot)
{
	if (!boot)
		return;
	g_hash_table_unref(boot->services);
	boot_times_free(boot->times);
	json_object_unref(boot->object);
	g_free(boot);
}

/* --- the ideal boot --- */

static bool is_needed(const SavedBoot *boot, char *const *needs, const char *name)
{
	return strcmp(name, saved_boot_text(boot, "login_screen", "service")) == 0 ||
	       g_strv_contains((const char *const *)needs, name);
}

static int64_t chain_length(const BootTimes *times, const BootTime *end)
{
	g_autoptr(GPtrArray) chain = boot_times_chain(times, end);
	int64_t sum_us = 0;

	for (guint i = 0; i < chain->len; i++)
		sum_us += boot_time_own(g_ptr_array_index(chain, i), 0);
	return sum_us;
}

bool saved_boot_bound(const SavedBoot *boot, bool is_login, BootBound *ret)
{
	g_auto(GStrv)
		needs = saved_boot_strings(object_member(boot->object, "login_screen"), "needs");
	const int64_t n_processors = MAX(saved_boot_int(boot, NULL, "processors"), 1);
	BootBound bound = { .took_us = is_login ? saved_boot_int(boot, "login_screen", "shown_us") :
						  saved_boot_int(boot, NULL, "svcd_us") };

	for (unsigned i = 0; i < boot_times_count(boot->times); i++) {
		const BootTime *time = boot_times_get(boot->times, i);

		if (is_login && !is_needed(boot, needs, time->name))
			continue;
		bound.cpu_us += saved_boot_of_service(boot, time->name, "cpu_us");
		bound.chain_us = MAX(bound.chain_us, chain_length(boot->times, time));
	}
	/* Some services have ended; the sum of all includes them. */
	if (!is_login)
		bound.cpu_us = MAX(bound.cpu_us, saved_boot_int(boot, NULL, "services_cpu_us"));
	bound.bound_us = MAX(bound.cpu_us / n_processors, bound.chain_us);
	*ret = bound;
	return bound.took_us > 0 && bound.bound_us > 0;
}

char *boot_bound_text(const BootBound *bound)
{
	g_autofree char *took = text_format_duration(bound->took_us);
	g_autofree char *ideal = text_format_duration(bound->bound_us);
	const int64_t hundredths = bound->took_us * 100 / bound->bound_us;

	return g_strdup_printf("%s, %d.%02d times the ideal %s", took, (int)(hundredths / 100),
			       (int)(hundredths % 100), ideal);
}

/* --- the files --- */

const char *boots_directory(void)
{
	const char *directory = g_getenv("SVCD_BOOTS_DIRECTORY");

	return directory && *directory ? directory : SVCD_STATEDIR "/boots";
}

char *boots_path(const char *directory, unsigned number)
{
	return g_strdup_printf("%s/%u.json", directory, number);
}

char *boots_logs(const char *directory, unsigned number)
{
	return g_strdup_printf("%s/%u.logs", directory, number);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	const unsigned left = *(const unsigned *)a;
	const unsigned right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

GArray *boots_list(const char *directory)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *digits =
			g_str_has_suffix(name, ".json") ? g_strndup(name, strlen(name) - 5) : NULL;
		unsigned number;
		uint64_t value;

		if (!digits || !text_parse_uint(digits, 10, G_MAXINT32, &value))
			continue;
		number = (unsigned)value;
		g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, compare_numbers);
	return numbers;
}

/* The shutdown is written line by line while it goes on, into a file of its own. */
static void add_shutdown(const char *directory, unsigned number, JsonObject *object)
{
	g_autofree char *logs = boots_logs(directory, number);
	g_autoptr(GPtrArray) changes = boot_changes_read(logs);
	JsonObject *shutdown = boot_shutdown_new(changes, object);

	if (shutdown)
		json_object_set_object_member(object, "shutdown", shutdown);
}

SavedBoot *boots_load(const char *directory, unsigned number, GError **error)
{
	g_autofree char *path = boots_path(directory, number);
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonNode *root;
	g_autoptr(GError) problem = NULL;

	if (access(path, F_OK) < 0) {
		fail_ctl(error, CTL_ERROR_FILE, "there is no record of boot %u", number);
		return NULL;
	}
	bytes = file_read_bounded(path, BOOTS_BYTES, error);
	if (!bytes)
		return NULL;
	if (g_bytes_get_size(bytes) > 0 &&
	    !json_parser_load_from_data(parser, g_bytes_get_data(bytes, NULL),
					(gssize)g_bytes_get_size(bytes), &problem)) {
		fail(error, SVCD_ERROR_FAILED, "%s: %s", path, problem->message);
		return NULL;
	}
	root = json_parser_get_root(parser);
	if (root && JSON_NODE_HOLDS_OBJECT(root)) {
		add_shutdown(directory, number, json_node_get_object(root));
		return saved_boot_new(json_object_ref(json_node_get_object(root)), number, error);
	}
	fail(error, SVCD_ERROR_FAILED, "%s: not a JSON object", path);
	return NULL;
}

SavedBoot *boots_load_last(const char *directory)
{
	g_autoptr(GArray) numbers = boots_list(directory);
	SavedBoot *boot = NULL;

	for (guint i = numbers->len; i > 0 && !boot; i--)
		boot = boots_load(directory, g_array_index(numbers, unsigned, i - 1), NULL);
	return boot;
}

/* Temporary files of a writer that was interrupted, as by a power cut. */
static void remove_temporary(const char *directory)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (strstr(name, ".json."))
			(void)unlink(path); /* it does no harm */
	}
}

static int64_t size_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

/*
 * The size of all files in @directory. @removes: removes the directory, too; a later call repeats
 * this if it failed.
 */
static int64_t walk_logs(const char *directory, bool removes)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	int64_t bytes = 0;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		bytes += size_of(path);
		if (removes)
			(void)unlink(path);
	}
	if (dir && removes)
		(void)rmdir(directory);
	return bytes;
}

void boots_remove_logs(const char *directory, unsigned number)
{
	g_autofree char *logs = boots_logs(directory, number);

	(void)walk_logs(logs, true);
}

/*
 * Keeps the newest records that the limits allow, and then the newest logs for which there is room.
 */
void boots_prune(const char *directory)
{
	g_autoptr(GArray) numbers = boots_list(directory);
	int64_t bytes = 0;
	guint first = numbers->len; /* the oldest one that is kept */

	for (guint i = numbers->len; i > 0; i--) {
		g_autofree char *path =
			boots_path(directory, g_array_index(numbers, unsigned, i - 1));

		bytes += size_of(path);
		if (numbers->len - i >= BOOTS_KEPT || bytes > BOOTS_BYTES)
			(void)unlink(path); /* it is tried again at the next boot */
		else
			first = i - 1;
	}
	for (guint i = numbers->len; i > 0; i--) {
		g_autofree char *logs =
			boots_logs(directory, g_array_index(numbers, unsigned, i - 1));

		bytes += walk_logs(logs, false);
		if (i - 1 < first || bytes > BOOTS_BYTES)
			boots_remove_logs(directory, g_array_index(numbers, unsigned, i - 1));
	}
}

bool boots_save(const char *directory, unsigned number, JsonObject *object, GError **error)
{
	g_autofree char *path = boots_path(directory, number);
	g_autoptr(JsonNode) node = json_node_init_object(json_node_alloc(), object);
	g_autofree char *text = json_to_string(node, TRUE);
	g_autofree char *line = g_strconcat(text, "\n", NULL);

	if (strlen(line) > BOOTS_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "the record of this boot is larger than %d MiB", BOOTS_BYTES >> 20);
	if (!directory_ensure(directory, error))
		return false;
	remove_temporary(directory);
	if (!file_replace(path, line, 0644, error))
		return false;
	boots_prune(directory);
	return true;
}
