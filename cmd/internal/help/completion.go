package help

// Completion is `deref help completion`.
const Completion = `Completion of commands, flags and their values, schemes, and visited URIs

  bash   deref completion bash > ~/.local/share/bash-completion/completions/deref
  zsh    deref completion zsh > DIR/_deref, where DIR is a directory of $fpath
  fish   deref completion fish > ~/.config/fish/completions/deref.fish

Completion contacts no server. It completes URIs from listings and menus that you have
visited, if you create the file that records them. deref never creates it:

  mkdir -p ~/.local/state/deref && touch ~/.local/state/deref/visited

If XDG_STATE_HOME is set, the file is $XDG_STATE_HOME/deref/visited. When it exceeds 256 KiB,
deref removes its older half.
`
