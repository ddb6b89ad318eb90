package help

// Completion is `deref help completion`.
const Completion = `Completion: commands, flags and their words, schemes, and where one has been

  bash   deref completion bash > ~/.local/share/bash-completion/completions/deref
  zsh    deref completion zsh > a file _deref in a folder of $fpath
  fish   deref completion fish > ~/.config/fish/completions/deref.fish

Nothing is contacted for it. The entries of listings and menus that were shown complete URIs
of their folders if you make the file that they are kept in, which nothing else does:

  mkdir -p ~/.local/state/deref && touch ~/.local/state/deref/visited

($XDG_STATE_HOME/deref/visited.) It grows to 256 KiB; then its older half is forgotten.
`
