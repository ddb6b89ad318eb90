//go:build unix || windows

package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/scope"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A jobFile is the file that describes a job.
type jobFile struct {
	jobRules
	Lists       []string `toml:"lists"`
	Data        string   `toml:"data"`
	Connections int      `toml:"connections"`
	Partitions  int      `toml:"partitions"`
	Replicas    int      `toml:"replicas"`
	MaxLog      int64    `toml:"max-log"`
	Netrc       string   `toml:"netrc"`
	Archive     int64    `toml:"archive-size"`

	Store storeFile `toml:"store"`

	name string // of the job: the file's, without its suffix
	dir  string // of the file

	include, exclude, hosts scope.Patterns
	roots                   []uri.URI // of a crawl: Seeds
}

// jobRules are the keys that the files of all workers have in common. The hub has them from the first one (hub.JobOptions.About).
type jobRules struct {
	Task          string   `toml:"task"`
	Seeds         []string `toml:"seeds"` // only those of a crawl are compared
	Depth         int      `toml:"depth"`
	Include       []string `toml:"include"`
	Exclude       []string `toml:"exclude"`
	Hosts         []string `toml:"hosts"`
	Schemes       []string `toml:"schemes"`
	IgnoreRobots  bool     `toml:"ignore-robots"`
	HostDocuments int64    `toml:"host-documents"`
	HostBytes     int64    `toml:"host-bytes"`
	PerHost       int      `toml:"per-host"`
	Pause         float64  `toml:"pause"`
	Retries       int      `toml:"retries"`
	Timeout       float64  `toml:"timeout"`
	MaxSize       int64    `toml:"max-size"`
	PublicOnly    bool     `toml:"deny-private"`
	Tofu          bool     `toml:"tofu"`
}

const maxJobFile = 1 << 20

// jobFileError begins the text of an error of reading the file of a job.
const jobFileError = "the job's file: "

func readJob(path string) (*jobFile, error) {
	text, err := readBounded(path)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, jobFileError+"%w", err)
	}
	if len(text) > maxJobFile {
		return nil, fetch.Errorf(fetch.ErrLimit, "%s is longer than %d bytes", path, maxJobFile)
	}
	f := &jobFile{name: strings.TrimSuffix(filepath.Base(path), ".toml"), dir: filepath.Dir(path)}
	return f, f.parse(path, text)
}

// readBounded reads a file, or one byte more than maxJobFile of it.
func readBounded(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, maxJobFile+1))
}

// parse reads the text of the file path.
func (f *jobFile) parse(path string, text []byte) error {
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return tomlError(path, err)
	}
	if tasks := []string{"check", "archive", "list", "crawl"}; !slices.Contains(tasks, f.Task) {
		return flags.NotOneOf(path+": task", f.Task, "check, archive, list or crawl", tasks)
	}
	if min(f.Depth, f.Connections, f.PerHost, f.Retries, f.Replicas) < 0 || min(f.MaxLog, f.MaxSize, f.Archive, f.HostDocuments, f.HostBytes) < 0 ||
		!isTime(f.Pause) || !isTime(f.Timeout) {
		return flags.Usage(path + ": a number is negative or too large")
	}
	if f.Store != (storeFile{}) && (f.Store.URL == "" || !f.archived()) {
		return flags.Usage(path + ": store needs a url, and the task archive or crawl")
	}
	var err error
	if f.include, err = scope.ParsePatterns(f.Include, true); err == nil {
		f.exclude, err = scope.ParsePatterns(f.Exclude, true)
	}
	if err == nil {
		f.hosts, err = scope.ParsePatterns(f.Hosts, false)
	}
	if err != nil {
		return flags.Usage(path + ": " + err.Error())
	}
	for it, err := range f.seedList() {
		if err == nil && f.crawls() {
			f.roots = append(f.roots, it.URI)
		}
	}
	if f.Data == "" {
		f.Data = f.name + ".data"
	}
	f.Data = f.path(f.Data)
	return nil
}

// isTime reports whether a number of seconds is a time. TOML also has numbers that are none.
func isTime(seconds float64) bool { return seconds >= 0 && seconds <= math.MaxInt32 }

// tomlError returns one line about the first mistake in a file.
func tomlError(path string, err error) error {
	strict, ok := errors.AsType[*toml.StrictMissingError](err)
	if ok && len(strict.Errors) > 0 {
		e := strict.Errors[0]
		row, _ := e.Position()
		key := strings.Join(e.Key(), ".")
		return &flags.UsageError{Text: fmt.Sprintf("%s line %d: unknown key %q", path, row, key),
			Hint: cmp.Or(flags.Suggestion(key, jobKeys()), "derefd help lists the keys")}
	}
	text := strings.TrimPrefix(err.Error(), "toml: ")
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := e.Position()
		if key := strings.Join(e.Key(), "."); key != "" {
			text = "the value of " + key + " has the wrong type"
		}
		return &flags.UsageError{Text: fmt.Sprintf("%s line %d: %s", path, row, text), Hint: "derefd help has an example"}
	}
	return flags.Usage(path + ": " + text)
}

// jobKeys returns the keys of a job's file.
func jobKeys() []string {
	list := keysOf(reflect.TypeFor[jobRules](), "")
	list = append(list, keysOf(reflect.TypeFor[jobFile](), "")...)
	return append(list, keysOf(reflect.TypeFor[storeFile](), "store.")...)
}

func keysOf(table reflect.Type, prefix string) (list []string) {
	for f := range table.Fields() {
		if name := f.Tag.Get("toml"); name != "" && f.Type.Kind() != reflect.Struct {
			list = append(list, prefix+name)
		}
	}
	return list
}

// archives returns the directory of the archives.
func (f *jobFile) archives() string { return filepath.Join(f.Data, "warc") }

// path returns a file name that is relative to the job's file.
func (f *jobFile) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.dir, name)
}

// options returns what the hub must know to create the job.
func (f *jobFile) options() *hub.JobOptions {
	return &hub.JobOptions{Partitions: f.Partitions, Replicas: f.Replicas, MaxBytes: f.MaxLog, Schemes: schemes.All(nil), About: f.jobRules.String()}
}

// String returns the rules as TOML, each key on a line of its own. Of the seeds it has a digest, since the hub bounds its length.
func (r jobRules) String() string {
	if digest := sha256.Sum256([]byte(strings.Join(r.Seeds, "\n"))); r.Task == "crawl" {
		r.Seeds = []string{hex.EncodeToString(digest[:12])}
	} else {
		r.Seeds = nil
	}
	text, err := toml.Marshal(r)
	if err != nil {
		return "" // texts, numbers and lists of texts can be written
	}
	return string(text)
}

// checkRules returns an error that names the first key whose value is not that with which the job was created.
func (f *jobFile) checkRules(about string) error {
	was := strings.Split(about, "\n")
	for i, is := range strings.Split(f.jobRules.String(), "\n") {
		if i >= len(was) || was[i] != is {
			return fetch.Errorf(fetch.ErrLocal, "%w: %s was created with %q, and the file has %q", errOtherRules, f.name, was[min(i, len(was)-1)], is)
		}
	}
	return nil
}

// errOtherRules begins the text of an error of checkRules.
var errOtherRules = errors.New("all workers must have the same job")

// archived reports whether documents are stored.
func (f *jobFile) archived() bool { return f.Task == "archive" || f.crawls() }

func (f *jobFile) crawls() bool { return f.Task == "crawl" }

func (f *jobFile) batch() batch.Options {
	return batch.Options{PerHost: f.PerHost, Pause: time.Duration(f.Pause * float64(time.Second)), Retry: retry.Policy{Retries: f.Retries}}.Polite()
}
