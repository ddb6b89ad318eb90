package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
)

// warcFlags are the flags of the warc command.
type warcFlags struct {
	json    bool
	include bool
}

func warcCommand(fs *pflag.FlagSet) func(context.Context, *app.App, []string) error {
	var f warcFlags
	fs.BoolVar(&f.json, "json", false, "ls: print one JSON object about each record")
	fs.BoolVarP(&f.include, "include", "i", false, "cat: also print the records' header fields")
	return f.run
}

func (f *warcFlags) run(_ context.Context, a *app.App, args []string) error {
	if len(args) < 2 {
		return flags.Usage("usage: deref warc ls FILE..., cat FILE [URI|ID...], or check FILE...")
	}
	switch op, files := args[0], args[1:]; op {
	case "ls":
		return buffered(a, func(w io.Writer) error { return eachFile(files, func(r *warc.Reader) error { return f.list(w, r) }) })
	case "cat":
		return buffered(a, func(w io.Writer) error {
			return eachFile(files[:1], func(r *warc.Reader) error { return f.cat(w, r, files[1:]) })
		})
	case "check":
		return checkArchives(a, files)
	default:
		return flags.Usage(fmt.Sprintf("deref warc %s: must be ls, cat or check", op))
	}
}

func buffered(a *app.App, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(a.Out(), 64<<10)
	err := write(w)
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	return err
}

// eachFile calls read for each archive, one after the other.
func eachFile(names []string, read func(*warc.Reader) error) error {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		r := warc.NewReader(f)
		err = read(r)
		r.Close()
		f.Close()
		if err != nil {
			return archiveError(name, err)
		}
	}
	return nil
}

// archiveError returns the error of an archive with its kind.
func archiveError(name string, err error) error {
	switch {
	case fetch.KindOf(err) != "":
		return err
	case err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrTruncated, "%s ends within a record", name)
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s: %w", name, err)
}

// eachRecord calls do for each record. Damage does not stop it: it returns the first error after all other records have been read.
func eachRecord(r *warc.Reader, do func(*warc.Record) error) error {
	var first error
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return first
		}
		if err == nil {
			err = do(rec)
		}
		if _, damaged := errors.AsType[*warc.FormatError](err); err != nil && !damaged {
			return cmp.Or(first, err)
		}
		first = cmp.Or(first, err)
	}
}

// A listed record is one line of ls.
type listed struct {
	Offset int64        `json:"offset"`
	Date   string       `json:"date"`
	Type   string       `json:"type"`
	Status int          `json:"status,omitempty"`
	Media  string       `json:"media,omitempty"`
	Size   int64        `json:"size"`
	URI    fetch.Octets `json:"uri,omitempty"`
	ID     string       `json:"id"`
}

func (f *warcFlags) list(w io.Writer, r *warc.Reader) error {
	enc := json.NewEncoder(w)
	return eachRecord(r, func(rec *warc.Record) error {
		media, _, _ := strings.Cut(rec.MediaType(), ";")
		l := listed{rec.Offset, rec.Date().UTC().Format(time.RFC3339), rec.Type(), rec.Status(), media, rec.Size, fetch.Octets(rec.Target()), rec.ID()}
		if f.json {
			return enc.Encode(l)
		}
		status := "-"
		if l.Status > 0 {
			status = fmt.Sprint(l.Status)
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", l.Date, render.Escape(l.Type), status, l.Size, render.Escape(cmp.Or(l.Media, "-")), render.Escape(cmp.Or(string(l.URI), "-")))
		return err
	})
}

// cat writes the blocks of the records with the given URIs or IDs. Without any it writes those of all records.
func (f *warcFlags) cat(w io.Writer, r *warc.Reader, which []string) error {
	found := len(which) == 0
	err := eachRecord(r, func(rec *warc.Record) error {
		if len(which) > 0 && !slices.Contains(which, rec.Target()) && !slices.Contains(which, strings.Trim(rec.ID(), "<>")) {
			return nil
		}
		found = true
		if f.include {
			for _, x := range rec.Fields {
				fmt.Fprintf(w, "%s: %s\n", x.Name, x.Value)
			}
			fmt.Fprintln(w)
		}
		_, err := io.Copy(w, rec.Block)
		return err
	})
	if err == nil && !found {
		err = fetch.Errorf(fetch.ErrNotFound, "no record has this URI or ID")
	}
	return err
}

// checkArchives verifies the archives. It returns the error of the first one with a fault.
func checkArchives(a *app.App, names []string) error {
	var first error
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		t, err := warc.Check(file, func(f warc.Fault) { fmt.Fprintf(a.Out(), "%s: %s\n", name, render.Escape(f.String())) })
		file.Close()
		if err != nil {
			return archiveError(name, err)
		}
		fmt.Fprintf(a.Out(), "%s: %d records, %d bytes, %d faults%s\n", name, t.Records, t.Bytes, t.Faults, counts(t.Types))
		if t.Faults > 0 && first == nil {
			first = fetch.Errorf(fetch.ErrProtocol, "%s has %d fault(s)", name, t.Faults)
		}
	}
	return first
}

// counts formats the number of records of each type.
func counts(types map[string]int) string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&b, ", %d %s", types[kind], render.Escape(kind))
	}
	return b.String()
}
