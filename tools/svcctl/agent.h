/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Agent: pkttyagent(1). With it polkit asks for a password on this terminal if the session has no
 * agent of its own.
 */
#ifndef SVCD_SVCCTL_AGENT_H
#define SVCD_SVCCTL_AGENT_H

typedef struct Agent Agent;

/*
 * Returns after polkit has registered the agent. NULL: it is not installed or did not start; the
 * call that needs the password then fails with polkit's reason.
 */
Agent *agent_new(void);
void agent_free(Agent *agent); /* ends it; NULL is allowed */

#endif
