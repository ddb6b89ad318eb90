package help

// Completion is `deref help completion`.
const Completion = `Completion of commands, flags and their values, and schemes

  bash   deref completion bash > ~/.local/share/bash-completion/completions/deref
  zsh    deref completion zsh > DIR/_deref, where DIR is a directory of $fpath
  fish   deref completion fish > ~/.config/fish/completions/deref.fish

Completion contacts no server.
`
