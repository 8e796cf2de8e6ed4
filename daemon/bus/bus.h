/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: org.svcd1 as clients see it. The bus reads the engine, and makes every change through
 * BusOps.
 *
 * Clients come through the private socket (client-socket.h) or the system bus (system-client.h).
 * Objects, interfaces and rows do not know how a call arrived. See docs/dbus.md.
 */
#ifndef SVCD_BUS_BUS_H
#define SVCD_BUS_BUS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/bus-ops.h"
#include "loop/system-bus.h"

/**
 * bus_new() - make a bus without clients
 * @engine, @ops: borrowed, must outlive the bus
 */
Bus *bus_new(const Engine *engine, const BusOps *ops, void *data);
void bus_free(Bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bus, bus_free)

/**
 * bus_listen() - serve clients of the private socket; disconnects the clients of an earlier socket
 * @fd: taken; a listening socket, made by client_socket_open() or kept by the keeper
 */
void bus_listen(Bus *bus, ClientSocketKind kind, int fd);

/**
 * bus_attach_system() - publish org.svcd1 on the system bus too, whenever there is one; call once
 * @system_bus: borrowed, must outlive the bus
 */
void bus_attach_system(Bus *bus, SystemBus *system_bus);

/**
 * bus_service_changed(), bus_engine_changed() - published state changed
 *
 * Cheap: names are collected, and one PropertiesChanged per object is sent when the loop becomes
 * idle. The first change of a service that has not been published yet becomes InterfacesAdded.
 */
void bus_service_changed(Bus *bus, const char *service);
void bus_service_removed(Bus *bus, const char *service);
void bus_engine_changed(Bus *bus);

/* The files were read. The manager's properties, such as FilesReadAt, are published again. */
void bus_files_read(Bus *bus);

/*
 * The level of a condition, or the reason for it, changed. A service uses this condition, or a
 * client watches it. As cheap as bus_service_changed().
 */
void bus_condition_changed(Bus *bus, const char *key, Level level, const char *why);

/**
 * bus_change_ended(), bus_change_failed() - answer the client that requested a change of policy, if
 * it is still connected
 * @exit, @output: of the program that made the change
 */
void bus_change_ended(Bus *bus, uint64_t ticket, unsigned exit, const char *output);
void bus_change_failed(Bus *bus, uint64_t ticket, const GError *error);

/*
 * Carries out the call that waits for this check, or refuses it with @problem if that is not NULL.
 * The client may have left.
 */
void bus_check_ended(Bus *bus, uint64_t ticket, const GError *problem);

/**
 * bus_flush() - write what the sockets accept without waiting; called before the manager leaves
 */
void bus_flush(Bus *bus);

#endif
