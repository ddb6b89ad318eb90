package request

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/schemes/external"
)

// programPrefix is the beginning of the names of programs that are handlers: deref-scheme-x-hello handles x-hello.
const programPrefix = "deref-scheme-"

// Extend adds what the user has configured to the schemes: programs on PATH for schemes without a handler, HTTP proxies, and gateways.
func (f *Flags) Extend(a *app.App, list []fetch.Scheme) ([]fetch.Scheme, error) {
	list = app.Replace(list, external.Schemes(&external.Config{Programs: a.Config.Programs}))
	known := fetch.Registry(list)
	list = append(list, external.Schemes(&external.Config{Programs: f.programs(a, known)})...)
	list, err := f.proxied(a, list)
	if err != nil {
		return nil, err
	}
	table, err := f.gateways(a, list)
	if err == nil && len(table) > 0 {
		list, err = refer.Apply(list, table)
	}
	if err != nil || len(a.Config.Locals) == 0 {
		return list, err
	}
	return refer.Locally(list, a.Config.Locals), nil
}

// gateways returns the table of gateways: those of --gateway first, then of WWW_<scheme>_GATEWAY, then of the configuration.
func (f *Flags) gateways(a *app.App, list []fetch.Scheme) ([]refer.Rule, error) {
	names := slices.Clone(f.Wanted)
	for _, s := range list {
		names = append(names, s.Names...)
	}
	more, err := refer.FromEnvironment(a.Getenv, names)
	return slices.Concat(f.gateway, more, a.Config.Gateways), err
}

// mayNameAny reports whether lists or referrals may name any scheme.
func (f *Flags) mayNameAny() bool { return f.allowX || f.Lists || len(f.Wanted) == 0 }

// programs returns the programs on PATH for schemes without a handler: for those that the user names, or for all if others may name any.
func (f *Flags) programs(a *app.App, known fetch.Registry) (list []external.Program) {
	wanted := slices.DeleteFunc(f.reached(a), func(name string) bool { _, ok := known.Lookup(name); return ok }) // without a handler
	if len(wanted) == 0 && !f.mayNameAny() {
		return nil
	}
	for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // never run a program from the current directory
		}
		for _, name := range f.candidates(dir, wanted) {
			path := filepath.Join(dir, programPrefix+name)
			_, seen := known.Lookup(name)
			seen = seen || slices.ContainsFunc(list, func(p external.Program) bool { return p.Scheme == name })
			if info, err := os.Stat(path); !seen && err == nil && info.Mode().IsRegular() && mayRun(info.Mode()) {
				list = append(list, external.Program{Scheme: name, Path: path, Env: os.Environ()})
			}
		}
	}
	return list
}

// reached returns the schemes that the user names: on the command line, and in the templates of gateways and of the urn table.
func (f *Flags) reached(a *app.App) []string {
	names := slices.Concat(f.Wanted, f.followTo)
	templates := []string{}
	for _, g := range slices.Concat(f.gateway, a.Config.Gateways) {
		templates = append(templates, g.Template)
	}
	for _, e := range a.Config.URN.Table {
		templates = append(templates, e.Template)
	}
	for _, t := range templates {
		if to, _, _ := strings.Cut(t, ":"); to != "" && !strings.ContainsAny(to, `{}/\`) {
			names = append(names, strings.ToLower(to))
		}
	}
	return names
}

// candidates returns the schemes for which dir may have programs.
func (f *Flags) candidates(dir string, wanted []string) (names []string) {
	if !f.mayNameAny() {
		return wanted
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), programPrefix); ok && name != "" && name == strings.ToLower(name) {
			names = append(names, name)
		}
	}
	return names
}
