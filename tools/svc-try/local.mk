# SPDX-License-Identifier: LGPL-2.1-or-later

svctrydir = $(svcdlibdir)
dist_svctry_SCRIPTS = tools/svc-try/svc-trial-init tools/svc-try/svc-try
