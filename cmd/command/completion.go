package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/retrieve"
)

// completeWord is the hidden command that the shell scripts call: deref complete-word -- WORD... The last word is being typed.
const completeWord = "complete-word"

func completionCommand(*pflag.FlagSet) action {
	return func(_ context.Context, a *app.App, args []string) error {
		if shellScript(args[0]) == "" {
			return flags.Usage("deref completion takes one of " + strings.Join(shells(), ", "))
		}
		return a.Print(fmt.Sprintf(shellScript(args[0]), completeWord))
	}
}

// completeCommand prints the possible completions of the last argument, one a line. After a word that ends with ":" or "/", the shell adds no
// space. It contacts no server.
func completeCommand(*pflag.FlagSet) action {
	return func(_ context.Context, a *app.App, args []string) error {
		if len(args) == 0 {
			args = []string{""}
		}
		typed := args[len(args)-1]
		for _, w := range candidates(a, args[:len(args)-1], typed) {
			if strings.HasPrefix(w, typed) {
				fmt.Fprintln(a.Out(), w)
			}
		}
		return nil
	}
}

// candidates returns the words that may follow the words before. The user has typed the beginning of the next word.
func candidates(a *app.App, before []string, typed string) (list []string) {
	c, _ := findCommand("")
	if len(before) > 0 {
		if named, ok := findCommand(before[0]); ok && before[0] != "" {
			c, before = named, before[1:]
		}
	}
	if len(before) > 0 {
		if words := values(a, c, strings.TrimPrefix(before[len(before)-1], "--")); words != nil {
			return words
		}
	}
	switch {
	case strings.HasPrefix(typed, "-"):
		for _, name := range flagNames(c) {
			list = append(list, "--"+name)
		}
		return list
	case c.name == "help":
		return slices.Concat(topicNames(), commandNames(), schemeNames(a))
	case c.name == "completion":
		return shells()
	case c.name == "uri" && len(before) == 0:
		return opNames()
	case c.name == "warc" && len(before) == 0:
		return warcOpNames()
	case c.name == "uri", c.name == "schemes", c.name == "demo", c.name == "version", c.name == "serve":
		return nil
	case c.name == "" && len(before) == 0 && !strings.Contains(typed, ":"):
		return append(commandNames(), beginnings(a)...)
	}
	return beginnings(a)
}

func schemeNames(a *app.App) (list []string) {
	for _, s := range a.Schemes(nil) {
		list = append(list, s.Names...)
	}
	return list
}

// beginnings returns the schemes with their colons.
func beginnings(a *app.App) (list []string) {
	for _, n := range schemeNames(a) {
		list = append(list, n+":")
	}
	return list
}

func commandNames() (list []string) {
	for _, c := range commands() {
		if c.name != "" && c.short != "" {
			list = append(list, c.name)
		}
	}
	return list
}

func flagNames(c command) (list []string) {
	fs, _ := c.flagSet()
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			list = append(list, f.Name)
		}
	})
	return list
}

// values returns the possible values of a command's flag. It returns nil if there are none, or if they are file names, which the shell completes better.
func values(a *app.App, c command, flag string) (list []string) {
	fs, _ := c.flagSet()
	f := fs.Lookup(flag)
	if f == nil {
		return nil
	}
	switch flag {
	case "format":
		list = retrieve.Formats()
	case "mode":
		list = flags.Modes()
	case "ftp-method":
		list = []string{"multicwd", "nocwd", "auto"}
	case "follow-to", "only":
		list = schemeNames(a)
	default:
		list = flags.Choices(f)
	}
	return list
}

func shells() []string { return []string{"bash", "zsh", "fish"} }

// shellScript returns the format of the script that makes a shell call complete-word. It returns "" for an unknown shell.
func shellScript(shell string) string {
	return map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
}

// bash breaks words at colons (COMP_WORDBREAKS), so the script removes everything before the last colon from the completions.
const bashScript = `# deref completion bash > /etc/bash_completion.d/deref
_deref() {
    local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}" cur
    local -a words
    IFS=' ' read -ra words <<< "$line"
    [[ $line == *' ' ]] && words+=('')
    cur="${words[${#words[@]}-1]}"
    COMPREPLY=($("${words[0]}" %s -- "${words[@]:1}" 2>/dev/null))
    [[ $cur == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"${cur%%"${cur##*:}"}"}")
    [[ ${COMPREPLY[0]} == *[:/] ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _deref deref
`

const zshScript = `#compdef deref
# deref completion zsh > "${fpath[1]}/_deref"
_deref() {
    local -a found going
    local w
    for w in ${(f)"$(deref %s -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        [[ $w == *[:/] ]] && going+=("$w") || found+=("$w")
    done
    (( $#going )) && compadd -S '' -a going
    (( $#found )) && compadd -a found
    (( $#going + $#found )) || _files
}
compdef _deref deref
`

const fishScript = `# deref completion fish > ~/.config/fish/completions/deref.fish
function __deref
    set -l words (commandline -opc) (commandline -ct)
    deref %s -- $words[2..-1] 2>/dev/null
end
complete -c deref -a '(__deref)'
`
