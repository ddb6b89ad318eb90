package help

// Completion is `deref help completion`.
const Completion = `Completion of commands, flags and their values, schemes, and visited URIs

  bash   deref completion bash > ~/.local/share/bash-completion/completions/deref
  zsh    deref completion zsh > DIR/_deref, where DIR is a directory of $fpath
  fish   deref completion fish > ~/.config/fish/completions/deref.fish

Completion contacts no server. URIs are completed from the listings and menus that you have
seen, if you create the file that records them. deref never creates it by itself:

  mkdir -p ~/.local/state/deref && touch ~/.local/state/deref/visited

($XDG_STATE_HOME/deref/visited.) When it exceeds 256 KiB, its older half is removed.
`
