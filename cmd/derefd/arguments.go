//go:build unix || windows

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
)

// An argument is one that a command must have.
type argument struct{ name, meaning string }

func arguments() map[string][]argument {
	job := argument{"JOB", "the TOML file of the job"}
	return map[string][]argument{
		"run": {job}, "add": {job, {"FILE", "a list of URIs, or - for the standard input"}}, "status": {job}, "results": {job}, "index": {job},
		"hub": nil, "work": {job}, "drain": {job}, "demo": nil, "version": nil, "redo": {job}, "jobs": nil, "health": nil, "delete": {job},
	}
}

// checkArguments returns an error unless the command exists and has as many arguments as it needs.
func checkArguments(name string, args []string) error {
	all := arguments()
	want, ok := all[name]
	switch {
	case !ok:
		known := append(slices.Sorted(maps.Keys(all)), "help")
		return &flags.UsageError{Text: fmt.Sprintf("derefd has no command %q", name),
			Hint: cmp.Or(flags.Suggestion(name, known), "derefd help lists the commands")}
	case len(args) < len(want):
		missing := want[len(args)]
		return &flags.UsageError{Text: fmt.Sprintf("derefd %s needs %s: %s", name, missing.name, missing.meaning),
			Hint: "derefd help describes it"}
	case len(args) > len(want) && name != "redo":
		return &flags.UsageError{Text: fmt.Sprintf("derefd %s: unexpected argument %q", name, args[len(want)]), Hint: "derefd help lists the commands"}
	}
	return nil
}

// flagError returns the usage error for an error of package pflag.
func flagError(err error, fs *pflag.FlagSet) error {
	u, ok := errors.AsType[*flags.UsageError](flags.ParseError(err, fs))
	if !ok {
		return err
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok { // the hints of deref are about its own flags
		if u.Hint = flags.Suggestion(unknown.GetSpecifiedName(), flags.LongNames(fs)); u.Hint != "" {
			u.Hint = "--" + u.Hint
		} else {
			u.Hint = "derefd help lists the flags"
		}
	}
	return u
}

// hint returns what the user can do about an error of a command, or "".
func (c *command) hint(err error) string {
	if h := flags.HintOf(err); h != "" {
		return h
	}
	switch kind := fetch.KindOf(err); {
	case errors.Is(err, errNoJob):
		return "derefd run and derefd add create a job"
	case strings.HasPrefix(err.Error(), jobFileError):
		return "JOB is a TOML file, which derefd help describes"
	case errors.Is(err, hub.ErrAtWork):
		return "derefd drain ends workers in order; one that was killed counts until its lease ends, 15 seconds later"
	case errors.Is(err, errMissing):
		return "copy the archives of all workers there, and run derefd index; derefd redo JOB --missing fetches them again"
	case kind == fetch.ErrRefusedURL && strings.HasPrefix(err.Error(), "the name of a job"):
		return "a job has the name of its file, without .toml"
	case errors.Is(err, errOtherRules):
		return "a job keeps its task, limits and politeness; a copy of the file with another name is another job"
	case errors.Is(err, hub.ErrInUse):
		return "derefd status prints the progress of a running job, and derefd drain ends it in order"
	case c.hub == "" || !strings.HasPrefix(err.Error(), "the hub"):
		return ""
	case kind == fetch.ErrConnect || kind == fetch.ErrTimeout || kind == fetch.ErrDNS:
		return "derefd hub prints the URL for --hub; is it running?"
	case kind == fetch.ErrUnavailable:
		return "a NATS server needs JetStream (nats-server -js), enabled for the account of the user"
	case kind == fetch.ErrAuth && c.credentials == "" && c.nkey == "":
		return "derefd hub prints the URL for --hub, with its token; for NATS, see --credentials and --nkey"
	case kind == fetch.ErrAuth:
		return "the server must know the user of --credentials or --nkey"
	case kind == fetch.ErrTLS && c.ca == "":
		return "derefd hub prints the URL for --hub, with its certificate; for NATS, see --ca"
	}
	return ""
}
