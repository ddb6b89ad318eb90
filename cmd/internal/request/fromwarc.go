package request

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
)

// openFrom opens the archives of --from-warc, until CloseArchives, and prints a warning about each part that cannot be read. It returns nil without the
// flag.
func (f *ArchiveFlags) openFrom(a *app.App, schemes fetch.Registry) (*warc.Archive, error) {
	if len(f.FromWarc) == 0 {
		return nil, nil
	}
	names, err := f.Names(a)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(names, func(name string) bool { return isSameFile(name, f.Warc) }) {
		return nil, flags.Usage("--warc and --from-warc " + f.Warc + ": an archive cannot be read and written at the same time")
	}
	archive, err := warc.OpenArchive(schemes, names...)
	if err != nil {
		return nil, err
	}
	WarnOfDamage(a, archive)
	return archive, nil
}

// WarnOfDamage prints a warning about each part of an archive that cannot be read.
func WarnOfDamage(a *app.App, archive *warc.Archive) {
	for _, d := range archive.Damage() {
		where := ""
		if d.Offset >= 0 {
			where = fmt.Sprintf("damaged at byte %d: ", d.Offset)
		}
		fmt.Fprintf(a.Stderr, "deref: warning: %s: %s%s\n", render.Escape(d.ID), where, render.Escape(d.Text))
	}
}

// openKnown opens what --warc-dedup names.
func (f *ArchiveFlags) openKnown(schemes fetch.Registry) error {
	var names []string
	for _, v := range f.dedup {
		found := []string{v}
		if is, err := os.Stat(v); err == nil && is.IsDir() {
			if found, err = archivesIn(v); err != nil {
				return err
			}
		}
		for _, name := range found {
			if !isSameFile(name, f.Warc) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	var err error
	f.known, err = warc.OpenKnown(schemes, filepath.Dir(f.Warc), names...)
	return err
}

// CloseArchives removes what the archives needed besides their own files.
func (f *ArchiveFlags) CloseArchives() {
	if f.known != nil {
		f.known.Close()
	}
	if f.From != nil {
		f.From.Close()
	}
	if f.copied != nil {
		f.copied.Close()
	}
	for _, s := range f.spooled {
		os.RemoveAll(filepath.Dir(s.name))
	}
}

// Names returns the archives that the values of --from-warc name: files, the archives in directories, those that match patterns, and
// standard input and pipes, which are copied into files until CloseArchives.
func (f *ArchiveFlags) Names(a *app.App) (names []string, err error) {
	for _, v := range f.FromWarc {
		is, serr := os.Stat(v)
		found := []string{v}
		switch {
		case v == "-" && slices.ContainsFunc(f.spooled, func(s spooled) bool { return s.of == v }):
			err = flags.Usage("--from-warc -: standard input can be read only once")
		case v == "-":
			found[0], err = f.spool(v, a.Stdin)
		case serr == nil && is.IsDir():
			found, err = archivesIn(v)
		case serr == nil && !is.Mode().IsRegular():
			found[0], err = f.spoolPipe(v)
		case serr != nil && strings.ContainsAny(v, "*?["):
			if found, _ = filepath.Glob(v); len(found) == 0 {
				err = fetch.Errorf(fetch.ErrLocal, "no file matches %s", v)
			}
		}
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// archivesIn returns the archives in a directory and below it.
func archivesIn(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (warc.IsName(name) || slices.Contains([]string{".arc", ".wacz"}, filepath.Ext(strings.TrimSuffix(name, ".gz")))) {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s contains no archive", dir)
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return names, nil
}

// CaptureTime is the value of --at.
type CaptureTime struct{ time.Time }

func (t *CaptureTime) Type() string { return "string" }

func (t *CaptureTime) String() string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Set accepts the forms of WARC-Date, of the paths of wayback machines, and of HTTP.
func (t *CaptureTime) Set(s string) (err error) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
		"2006-01", "2006", "20060102150405", "200601021504", "2006010215", "20060102", "200601"} {
		if t.Time, err = time.Parse(layout, s); err == nil {
			return nil
		}
	}
	if t.Time, err = http.ParseTime(s); err != nil {
		return fmt.Errorf("%q is not a date such as 2026-11-23 or 2026-11-23T06:44:52Z", s)
	}
	return nil
}
