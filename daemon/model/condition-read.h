/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Condition keys: readers of the values in [Conditions], for the rows in service-keys.c.
 */
#ifndef SVCD_MODEL_CONDITION_READ_H
#define SVCD_MODEL_CONDITION_READ_H

#include "model/field-read.h"

KeyReader condition_read_terms;
KeyReader condition_read_on_lapse;
KeyReader condition_read_services;
KeyReader condition_read_services_or_facilities;

#endif
