/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: readers of the keys in [Service] about the service itself, for the rows in
 * service-keys.c. Keys about the execution of processes are in exec-read.c and sandbox/sandbox.c.
 */
#ifndef SVCD_MODEL_SERVICE_READ_H
#define SVCD_MODEL_SERVICE_READ_H

#include "model/field-read.h"

KeyReader service_read_type;
KeyReader service_read_command;
KeyReader service_read_command_list;
KeyReader service_read_action; /* Stop= and Reload=: signal:NAME or a command */
KeyReader service_read_ready;
KeyReader service_read_bus_names;
KeyReader service_read_restart;
KeyReader service_read_restart_limit;
KeyReader service_read_success_status;
KeyReader service_read_health_retries;
KeyReader service_read_health_action;
KeyReader service_read_watchdog;
KeyReader service_read_kill_mode;
KeyReader service_read_lock;
KeyReader service_read_stop_order;
NumberedKeyReader service_read_resource; /* @number: Resource */

#endif
