# SPDX-License-Identifier: LGPL-2.1-or-later

# The scripts are static, because "svcctl complete" returns the candidates.
bashcompletionsdir = $(datadir)/bash-completion/completions
dist_bashcompletions_DATA = tools/completions/bash/svcctl
zshcompletionsdir = $(datadir)/zsh/vendor-completions
dist_zshcompletions_DATA = tools/completions/zsh/_svcctl
fishcompletionsdir = $(datadir)/fish/vendor_completions.d
dist_fishcompletions_DATA = tools/completions/fish/svcctl.fish
