/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus questions: reads properties with Get, a limited number at a time, and repeats each until it
 * is answered.
 */
#ifndef SVCD_PROVIDERS_BUS_QUESTION_H
#define SVCD_PROVIDERS_BUS_QUESTION_H

#include "loop/system-bus.h"
#include "model/key.h"
#include "providers/bus-value.h"

typedef struct BusQuestions BusQuestions;
typedef struct BusQuestion BusQuestion;

/*
 * @level: true with @value, which is taken; false if the owner answers that there is no value;
 * unknown if it does not answer. The last two levels come with @why.
 */
typedef void (*BusQuestionFunc)(void *data, Level level, BusValue *value, const char *why);

BusQuestions *bus_questions_new(SystemBus *bus, BusQuestionFunc answered);
/* All questions must be freed first. */
void bus_questions_free(BusQuestions *all);

/* The texts are borrowed and outlive the question. */
BusQuestion *bus_question_new(BusQuestions *all, const char *path, const char *interface,
			      const char *member, void *data);
void bus_question_free(BusQuestion *question);

/*
 * @owner: the unique name of the connection that has the property. If the question is in flight, it
 * is sent once more afterwards.
 */
void bus_question_query(BusQuestion *question, const char *owner);
/* A good answer has come, for example by a signal: nothing needs to be asked. */
void bus_question_settle(BusQuestion *question);
/* The answer is no longer needed. */
void bus_question_forget(BusQuestion *question);

#endif
