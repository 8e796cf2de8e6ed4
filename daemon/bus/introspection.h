/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Introspection: the <interface> elements of the XML files in this folder, which the build converts
 * into strings.
 */
#ifndef SVCD_BUS_INTROSPECTION_H
#define SVCD_BUS_INTROSPECTION_H

extern const char introspection_org_svcd1_Manager[];
extern const char introspection_org_svcd1_Service[];
extern const char introspection_org_svcd1_Boot[];
extern const char introspection_org_svcd1_Services[];
extern const char introspection_org_freedesktop_DBus[];
extern const char introspection_org_freedesktop_DBus_ObjectManager[];

#endif
