/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Installed: installed:PROGRAM is false while the package manager holds that program.
 */
#ifndef SVCD_PROVIDERS_INSTALLED_H
#define SVCD_PROVIDERS_INSTALLED_H

#include "model/held-programs.h"
#include "providers/provider.h"

Provider *installed_provider_new(const ProviderSink *sink);

/*
 * Takes @held, which replaces the present table, and reports each level again. NULL: all programs
 * are free.
 */
void installed_provider_take(Provider *provider, HeldPrograms *held);

#endif
