/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus questions: properties are asked for with Get, so many at a time, and again until there is an answer.
 */
#ifndef SVCD_PROVIDERS_BUS_QUESTION_H
#define SVCD_PROVIDERS_BUS_QUESTION_H

#include "loop/system-bus.h"
#include "model/key.h"
#include "providers/bus-value.h"

typedef struct BusQuestions BusQuestions;
typedef struct BusQuestion BusQuestion;

/*
 * @level: true with @value, which is taken; false when the owner says that there is none, unknown when it says nothing,
 *         both with @why
 */
typedef void (*BusQuestionFunc)(void *data, Level level, BusValue *value, const char *why);

BusQuestions *bus_questions_new(SystemBus *bus, BusQuestionFunc answered);
/* Its questions are gone. */
void bus_questions_free(BusQuestions *all);

/* The texts are borrowed, and outlive it. */
BusQuestion *bus_question_new(BusQuestions *all, const char *path, const char *interface, const char *member, void *data);
void bus_question_free(BusQuestion *question);

/* @owner: the unique name of who knows. Asking again while it is asked has it asked once more afterwards. */
void bus_question_ask(BusQuestion *question, const char *owner);
/* A good answer has come, be it by a signal: there is nothing to be asked again. */
void bus_question_settle(BusQuestion *question);
/* No answer is wanted any more. */
void bus_question_forget(BusQuestion *question);

#endif
