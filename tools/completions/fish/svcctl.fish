# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fish completion of svcctl(1). One call of svcctl returns all candidates.

function __svcctl_complete
    set -l typed (commandline -opc)
    svcctl complete --shell fish -- $typed[2..-1] (commandline -ct) 2>/dev/null
end

complete -c svcctl -f -a '(__svcctl_complete)'
