package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/schemes/afs"
	"example.org/deref/schemes/external"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/urn"
)

// A Config is the contents of the user's configuration file. The zero value stands for no file. `deref help config` documents it.
type Config struct {
	file     configFile
	Flags    []flagDefault
	Gateways []refer.Rule
	Locals   []refer.Local
	URN      urn.Config
	AFS      afs.Config
	Programs []external.Program
	News     news.Config
	Mail     []mail.Source
	hosts    []hostConfig
}

// A configFile is the text that a config was read from.
type configFile struct {
	name string
	text []byte
}

// LoadConfig reads the configuration file that the command line or the environment names, or else the one in the usual place, which may be missing.
func LoadConfig(getenv func(string) string, stderr io.Writer, v *vocabulary, said *pflag.FlagSet) (*Config, error) {
	name, wanted := configName(getenv, said)
	if name == "" {
		return &Config{}, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !wanted {
		return &Config{}, nil
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = writtenByOthers(name, info)
	}
	if err != nil {
		return nil, err
	}
	text, err := flags.ReadAll(f, name, flags.MaxValue)
	if err != nil {
		return nil, err
	}
	return readConfig(getenv, stderr, v, configFile{name, text}, info)
}

// configName returns the name of the file, "" for none, and whether it must exist.
func configName(getenv func(string) string, said *pflag.FlagSet) (name string, wanted bool) {
	if f := said.Lookup("config"); f.Changed {
		return f.Value.String(), true
	}
	if f := said.Lookup("disable"); f.Changed && f.Value.String() == "true" {
		return "", false
	}
	if name = getenv("DEREF_CONFIG"); name != "" {
		return name, true
	}
	if name = dir(getenv); name == "" {
		return "", false
	}
	return filepath.Join(name, "config.toml"), false
}

// readConfig parses the text. It returns an error if the text holds a secret and others can read the file.
func readConfig(getenv func(string) string, stderr io.Writer, v *vocabulary, file configFile, info fs.FileInfo) (*Config, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal(file.text, &tree); err != nil {
		return nil, file.syntax(err)
	}
	r := &configReader{Config: &Config{file: file}, vocabulary: v, home: Home(getenv), stderr: stderr}
	if err := fields(r.sections()...)(nil, tree); err != nil {
		return nil, file.explain(err)
	}
	if r.secret != nil {
		if bad, ok := errors.AsType[*fetch.Error](secretfile.Check(file.name, info)); ok {
			bad.Text = file.at(r.secret) + " is a secret, and the file can be read by others"
			return nil, bad
		}
	}
	return r.Config, nil
}

// writtenByOthers returns an error if other users can change the file. A device is accepted, because what is written to it cannot be read from
// it: /dev/null is a common way to have no configuration.
func writtenByOthers(name string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeDevice != 0 || info.Mode().Perm()&0o022 == 0 || filepath.Separator != '/' {
		return nil
	}
	err := &fetch.Error{Kind: fetch.ErrLocal, Text: name + " can be written by others"}
	if secretfile.IsOwn(info) {
		err.Hint = "chmod go-w " + name
	}
	return err
}

// syntax returns the error for a file that is not TOML.
func (f configFile) syntax(err error) error {
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := bad.Position()
		return fetch.Errorf(fetch.ErrLocal, "%s:%d:%d: %v", f.name, row, column, bad)
	}
	return fetch.Errorf(fetch.ErrLocal, "%s: %v", f.name, err)
}

// explain adds file, line and key to the error of a key.
func (f configFile) explain(err error) error {
	bad, ok := errors.AsType[*keyError](err)
	if !ok {
		return err
	}
	return &fetch.Error{Kind: fetch.ErrLocal, Text: f.at(bad.at) + ": " + bad.text, Hint: bad.hint}
}

// FlagError returns the error for a flag's value in the file.
func (c *Config) FlagError(d flagDefault, err error) error {
	return c.file.explain(wrong(d.at, "%v", err))
}

// at describes the position of a key: file, line, and its path from the top.
func (f configFile) at(key keyPath) string {
	text := f.name
	if line := f.line(key); line > 0 {
		text += ":" + strconv.Itoa(line)
	}
	return text + ": " + key.String()
}
