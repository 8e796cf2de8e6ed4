/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot: observes the engine during the boot. It computes the progress (progress.h), and records the
 * waits and starts of the services (boot-record.h). The engine does not depend on this component.
 */
#ifndef SVCD_BOOT_BOOT_H
#define SVCD_BOOT_BOOT_H

#include "engine/engine.h"

/**
 * boot_observe() - observe an engine that has no services yet
 *
 * Must be called before the other functions of this component. They take an Engine, because the
 * engine owns the data of the component.
 */
void boot_observe(Engine *engine);

/*
 * Like engine_note_global() and engine_recover_global(). The note then also contains the end of the
 * boot and the line of the progress bar.
 */
void boot_note_global(const Engine *engine, char *text, size_t size);
bool boot_recover_global(Engine *engine, const char *note, int64_t now_us);

#endif
