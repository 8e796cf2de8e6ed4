/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Header: lines of the form "# Keyword: tokens" between "### BEGIN INIT INFO" and "### END INIT
 * INFO".
 *
 * Read as loosely as by insserv(8): any blanks after "#", any case, "-" or "_" in keywords,
 * X-VENDOR- in front of keywords outside the LSB. If a keyword or the block is repeated, the first
 * one counts.
 */
#include "config.h"

#include "lsb-compat/header.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "lsb-compat/levels.h"
#include "lsb-compat/lsb-tokens.h"

#define BEGIN_MARK "### BEGIN INIT INFO"
#define END_MARK "### END INIT INFO"

/* The place in the file. */
typedef enum HeaderPosition { BEFORE_HEADER, INSIDE_HEADER, AFTER_HEADER } HeaderPosition;

typedef struct HeaderParser {
	LsbHeader *header;
	const char *file;
	const char *service;
	DiagList *diags;
	HeaderPosition position;
	unsigned line;
	bool declared_second;
	bool seen_interactive;
} HeaderParser;

typedef struct Keyword {
	const char *name; /* in lower case, joined by "-" */
	bool is_extension; /* X- and a vendor may precede it */
	void (*read)(HeaderParser *p, int field, const char *value);
	int field;
} Keyword;

const char *lsb_field_name(LsbField field)
{
	static const char *const names[LSB_FIELD_COUNT] = {
		[LSB_PROVIDES] = "Provides",           [LSB_REQUIRED_START] = "Required-Start",
		[LSB_SHOULD_START] = "Should-Start",   [LSB_START_AFTER] = "X-Start-After",
		[LSB_START_BEFORE] = "X-Start-Before", [LSB_REQUIRED_STOP] = "Required-Stop",
		[LSB_SHOULD_STOP] = "Should-Stop",     [LSB_STOP_AFTER] = "X-Stop-After",
	};

	return names[field];
}

static Origin here(const HeaderParser *p)
{
	return origin_new(p->file, p->line);
}

static void read_tokens(HeaderParser *p, int field, const char *value)
{
	LsbTokens *list = &p->header->fields[field];
	g_autoptr(GPtrArray) tokens = lsb_split_tokens(value);

	if (list->origin.line > 0) {
		diag_warning(p->diags, here(p), p->service,
			     "%s: occurs twice; the line above is used",
			     lsb_field_name((LsbField)field));
		return;
	}
	list->origin = here(p);
	if (tokens->len > LIMIT_LIST_ENTRIES)
		diag_warning(p->diags, here(p), p->service,
			     "%s: only the first %d of its names are used",
			     lsb_field_name((LsbField)field), LIMIT_LIST_ENTRIES);
	for (guint i = 0; i < MIN(tokens->len, LIMIT_LIST_ENTRIES); i++) {
		const char *token = g_ptr_array_index(tokens, i);
		g_autofree char *problem = NULL;

		/* "+" is valid for names that other scripts provide. */
		if (!lsb_token_check(token + (*token == '+' && field != LSB_PROVIDES), &problem))
			diag_warning(p->diags, here(p), p->service, "%s: \"%s\" is ignored: %s",
				     lsb_field_name((LsbField)field), token, problem);
		else if (field == LSB_PROVIDES && *token == '$')
			diag_warning(p->diags, here(p), p->service,
				     "Provides: \"%s\" is ignored: no script provides a system "
				     "facility; "
				     "add the script to it in /etc/insserv.conf.d",
				     token);
		else
			g_ptr_array_add(list->tokens, g_strdup(token));
	}
}

static void read_levels(HeaderParser *p, bool *has, unsigned *levels, const char *keyword,
			const char *value)
{
	g_autoptr(GPtrArray) tokens = lsb_split_tokens(value);

	if (*has) {
		diag_warning(p->diags, here(p), p->service,
			     "%s: occurs twice; the line above is used", keyword);
		return;
	}
	*has = true;
	for (guint i = 0; i < tokens->len; i++) {
		const char *token = g_ptr_array_index(tokens, i);
		unsigned bit;

		if (lsb_level_parse(token, &bit))
			*levels |= bit;
		else
			diag_warning(
				p->diags, here(p), p->service,
				"%s: \"%s\" is not a runlevel; write 0 to 6 and S, with blanks "
				"between them",
				keyword, token);
	}
}

static void read_default_start(HeaderParser *p, int field, const char *value)
{
	read_levels(p, &p->header->has_default_start, &p->header->default_start, "Default-Start",
		    value);
}

static void read_default_stop(HeaderParser *p, int field, const char *value)
{
	read_levels(p, &p->header->has_default_stop, &p->header->default_stop, "Default-Stop",
		    value);
}

static void read_short_description(HeaderParser *p, int field, const char *value)
{
	if (!p->header->short_description && *value)
		p->header->short_description = g_strdup(value);
}

/* As for insserv, only "true" means yes. */
static void read_interactive(HeaderParser *p, int field, const char *value)
{
	if (p->seen_interactive)
		return;
	p->seen_interactive = true;
	p->header->is_interactive = g_ascii_strcasecmp(value, "true") == 0;
	if (!p->header->is_interactive && *value && g_ascii_strcasecmp(value, "false") != 0)
		diag_warning(p->diags, here(p), p->service,
			     "X-Interactive: \"%s\" counts as false; write true", value);
}

static const Keyword keywords[] = {
	{ "provides", false, read_tokens, LSB_PROVIDES },
	{ "required-start", false, read_tokens, LSB_REQUIRED_START },
	{ "required-stop", false, read_tokens, LSB_REQUIRED_STOP },
	{ "should-start", true, read_tokens, LSB_SHOULD_START },
	{ "should-stop", true, read_tokens, LSB_SHOULD_STOP },
	{ "start-before", true, read_tokens, LSB_START_BEFORE },
	{ "start-after", true, read_tokens, LSB_START_AFTER },
	{ "stop-after", true, read_tokens, LSB_STOP_AFTER },
	{ "default-start", false, read_default_start, 0 },
	{ "default-stop", false, read_default_stop, 0 },
	{ "short-description", false, read_short_description, 0 },
	{ "interactive", true, read_interactive, 0 },
};

static bool is_keyword(const Keyword *keyword, const char *name)
{
	const char *tail;

	if (strcmp(name, keyword->name) == 0)
		return true;
	if (!keyword->is_extension || !g_str_has_prefix(name, "x-") ||
	    !g_str_has_suffix(name, keyword->name))
		return false;
	tail = name + strlen(name) - strlen(keyword->name);
	return tail[-1] == '-';
}

/* "Should_Start " -> "should-start" */
static char *normalize(const char *begin, gsize length)
{
	char *name = g_malloc(length + 1);
	char *end = name;

	for (gsize i = 0; i < length; i++) {
		const char c = begin[i] == '_' ? '-' : g_ascii_tolower(begin[i]);

		if (c != '-' || end == name || end[-1] != '-')
			*end++ = c;
	}
	*end = '\0';
	return g_strchomp(name);
}

/* Splits "# Keyword: value"; false for any other line. @line is a comment. */
static bool split_line(const char *line, char **ret_name, char **ret_value)
{
	const char *begin = line + 1 + strspn(line + 1, " \t");
	const char *colon = strchr(begin, ':');

	if (!colon || colon == begin)
		return false;
	*ret_name = normalize(begin, (gsize)(colon - begin));
	*ret_value = g_strstrip(g_strdup(colon + 1));
	return true;
}

static void read_field(HeaderParser *p, const char *name, const char *value)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++) {
		if (is_keyword(&keywords[i], name)) {
			keywords[i].read(p, keywords[i].field, value);
			return;
		}
	}
}

/* Reads "2345 20 80". "-" in place of the levels: the script starts in no runlevel. */
static void read_chkconfig(HeaderParser *p, const char *value)
{
	g_autoptr(GPtrArray) tokens = lsb_split_tokens(value);
	const char *levels;
	uint64_t start;
	uint64_t stop;
	unsigned set = 0;

	if (p->header->has_chkconfig)
		return;
	if (tokens->len < 3 || !text_parse_uint(g_ptr_array_index(tokens, 1), 10, 99, &start) ||
	    !text_parse_uint(g_ptr_array_index(tokens, 2), 10, 99, &stop)) {
		diag_warning(p->diags, here(p), p->service,
			     "chkconfig: is ignored; write runlevels and two numbers from 0 to 99, "
			     "such as 345 20 80");
		return;
	}
	levels = g_ptr_array_index(tokens, 0);
	for (const char *c = strcmp(levels, "-") == 0 ? "" : levels; *c; c++) {
		const char level[2] = { *c, '\0' };
		unsigned bit;

		if (lsb_level_parse(level, &bit))
			set |= bit;
	}
	p->header->has_chkconfig = true;
	p->header->chkconfig_levels = set;
	p->header->chkconfig_start = (int)start;
	p->header->chkconfig_stop = (int)stop;
}

/*
 * Red Hat's scripts have these keywords outside of the block. A keyword within a longer comment
 * does not count.
 */
static void read_redhat_tokens(HeaderParser *p, const char *name, char *value)
{
	if (strcmp(name, "chkconfig") == 0) {
		read_chkconfig(p, value);
	} else if (strcmp(name, "pidfile") == 0 && lsb_path_is_plain(value) &&
		   !p->header->pid_file) {
		p->header->pid_file = g_strdup(value);
	} else if (strcmp(name, "description") == 0 && *value && !p->header->description) {
		if (g_str_has_suffix(value, "\\"))
			value[strlen(value) - 1] = '\0';
		p->header->description = g_strdup(g_strchomp(value));
	}
}

static void read_comment(HeaderParser *p, const char *line)
{
	g_autofree char *name = NULL;
	g_autofree char *value = NULL;

	if (!split_line(line, &name, &value))
		return;
	if (p->position == INSIDE_HEADER)
		read_field(p, name, value);
	read_redhat_tokens(p, name, value);
}

static void begin_block(HeaderParser *p)
{
	if (p->position == BEFORE_HEADER) {
		p->position = INSIDE_HEADER;
		p->header->origin = here(p);
		return;
	}
	if (!p->declared_second)
		diag_warning(p->diags, here(p), p->service,
			     "the script has a second header; the first one is used");
	p->declared_second = true;
}

static void read_inside(HeaderParser *p, const char *line)
{
	if (strstr(line, END_MARK)) {
		p->position = AFTER_HEADER;
	} else if (*line == '#') {
		read_comment(p, line);
	} else if (line[strspn(line, " \t")]) {
		p->position = AFTER_HEADER;
		diag_warning(p->diags, here(p), p->service,
			     "the header ends here, with the first line that is not a comment; "
			     "write \"" END_MARK "\" at its end");
	}
}

static void read_line(HeaderParser *p, const char *line)
{
	/* As for insserv, text may precede a mark. */
	if (strstr(line, BEGIN_MARK))
		begin_block(p);
	else if (p->position == INSIDE_HEADER)
		read_inside(p, line);
	else if (*line == '#')
		read_comment(p, line);
}

/* Reports all missing fields that insserv requires, in one warning about the block. */
static void check_complete(HeaderParser *p)
{
	const LsbHeader *h = p->header;
	g_autoptr(GString) missing = g_string_new(NULL);

	if (h->fields[LSB_PROVIDES].tokens->len == 0)
		g_string_append(missing, " Provides");
	if (h->fields[LSB_REQUIRED_START].origin.line == 0)
		g_string_append(missing, " Required-Start");
	if (h->fields[LSB_REQUIRED_STOP].origin.line == 0)
		g_string_append(missing, " Required-Stop");
	if (!h->has_default_start)
		g_string_append(missing, " Default-Start");
	if (!h->has_default_stop)
		g_string_append(missing, " Default-Stop");
	if (missing->len > 0)
		diag_warning(p->diags, h->origin, p->service,
			     "the header lacks%s; add it, even if it is empty", missing->str);
}

/* Most lines of a script are not comments, and outside of the block such lines are ignored. */
static bool may_report(const HeaderParser *p, const char *text, gsize length)
{
	const char *end = memchr(text, '\n', length);

	return p->position == INSIDE_HEADER ||
	       memchr(text, '#', end ? (gsize)(end - text) : length);
}

LsbHeader *lsb_header_parse(const char *file, const char *service, const char *text, gsize length,
			    DiagList *diags)
{
	LsbHeader *header = g_new0(LsbHeader, 1);
	HeaderParser p = { .header = header, .file = file, .service = service, .diags = diags };

	for (int i = 0; i < LSB_FIELD_COUNT; i++)
		header->fields[i].tokens = g_ptr_array_new_with_free_func(g_free);
	for (p.line = 1; length > 0; p.line++) {
		g_autofree char *line = NULL;

		if (!may_report(&p, text, length)) {
			lsb_skip_line(&text, &length);
			continue;
		}
		line = lsb_next_line(&text, &length);
		read_line(&p, line);
	}
	if (p.position == INSIDE_HEADER)
		diag_warning(diags, header->origin, service,
			     "the header has no end; write \"" END_MARK "\" after it");
	if (lsb_header_exists(header))
		check_complete(&p);
	return header;
}

void lsb_header_free(LsbHeader *header)
{
	if (!header)
		return;
	for (int i = 0; i < LSB_FIELD_COUNT; i++)
		g_ptr_array_unref(header->fields[i].tokens);
	g_free(header->short_description);
	g_free(header->pid_file);
	g_free(header->description);
	g_free(header);
}

bool lsb_header_exists(const LsbHeader *header)
{
	return header->origin.line > 0;
}
