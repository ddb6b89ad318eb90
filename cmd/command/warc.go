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
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
)

// warcFlags are the flags of the warc command.
type warcFlags struct {
	json    bool
	include bool
	output  string
	size    flags.Size
	at      request.CaptureTime
	raw     bool
	title   string
	captures
}

func warcCommand(fs *pflag.FlagSet) action {
	var f warcFlags
	fs.BoolVar(&f.json, "json", false, "ls: print one JSON object about each record")
	fs.BoolVarP(&f.include, "include", "i", false, "cat: also print the records' header fields")
	flags.TextVar(fs, &f.output, "output", "o", "extract, index, filter, merge, mend, from-mirror, pack: write to `FILE` (- is standard output)")
	fs.Var(&f.size, "size", "filter, merge, from-mirror: start another archive after `SIZE`: NAME-00000.warc.gz, ...")
	f.captures.add(fs)
	fs.Var(&f.at, "at", "extract: the capture nearest to `DATE`")
	fs.BoolVar(&f.raw, "raw", false, "extract: write what the record contains, with its content coding")
	flags.TextVar(fs, &f.title, "title", "", "pack: the `TEXT` that readers show")
	return func(ctx context.Context, a *app.App, args []string) error { return f.run(ctx, a, fs, args) }
}

// A warcOp is an operation of the warc command.
type warcOp struct {
	name  string
	usage string // what follows the name
	least int    // arguments
	reads int    // arguments that are archives, -1 if all are
	run   func(f *warcFlags, ctx context.Context, a *app.App, files []warc.File, args []string) error
}

// warcOps returns the operations, in the order of the help text.
func warcOps() []warcOp {
	return []warcOp{
		{"ls", "FILE...", 1, -1, (*warcFlags).listAll},
		{"cat", "FILE [URI|ID...]", 1, 1, (*warcFlags).catAll},
		{"check", "FILE...", 1, -1, (*warcFlags).check},
		{"extract", "FILE... URI|LINE", 2, 0, (*warcFlags).extract},
		{"index", "FILE...", 1, -1, (*warcFlags).index},
		{"filter", "FILE...", 1, -1, (*warcFlags).filter},
		{"merge", "FILE...", 1, -1, (*warcFlags).merge},
		{"mend", "FILE", 1, 1, (*warcFlags).mend},
		{"from-mirror", "DIR", 1, 0, (*warcFlags).fromMirror},
		{"pack", "-o NAME.wacz FILE...", 1, -1, (*warcFlags).pack},
	}
}

func warcOpNames() (list []string) {
	for _, op := range warcOps() {
		list = append(list, op.name)
	}
	return list
}

func (f *warcFlags) run(ctx context.Context, a *app.App, fs *pflag.FlagSet, args []string) error {
	if len(args) == 0 {
		return flags.Usage("usage: deref warc OP FILE..., where OP is " + joinOr(warcOpNames()))
	}
	for _, op := range warcOps() {
		if op.name != args[0] {
			continue
		}
		if len(args) <= op.least {
			return flags.Usage("usage: deref warc " + op.name + " " + op.usage)
		}
		if err := flags.CheckOperation(fs, op.name); err != nil {
			return err
		}
		args = args[1:]
		archives := request.ArchiveFlags{FromWarc: args}
		if op.reads >= 0 {
			archives.FromWarc = args[:op.reads]
		}
		defer archives.CloseArchives()
		names, err := archives.Names(a)
		if err != nil {
			return err
		}
		files, err := warc.Files(names...)
		if err != nil {
			return err
		}
		return op.run(f, ctx, a, files, args)
	}
	return flags.Usage(fmt.Sprintf("deref warc %s: must be %s", args[0], joinOr(warcOpNames())))
}

// joinOr returns "a, b or c".
func joinOr(words []string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " or " + words[n]
}

func (f *warcFlags) listAll(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	return eachFile(a, files, func(w io.Writer, r *warc.Reader) error { return f.list(w, r) })
}

func (f *warcFlags) catAll(_ context.Context, a *app.App, files []warc.File, args []string) error {
	return eachFile(a, files, func(w io.Writer, r *warc.Reader) error { return f.cat(w, r, args[1:]) })
}

func buffered(a *app.App, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(a.Out(), 64<<10)
	return cmp.Or(write(w), w.Flush())
}

// eachFile calls read for each archive, one after the other.
func eachFile(a *app.App, files []warc.File, read func(io.Writer, *warc.Reader) error) error {
	return buffered(a, func(w io.Writer) error {
		for _, file := range files {
			in, err := file.Open()
			if err != nil {
				return err
			}
			r := warc.NewReader(in)
			err = read(w, r)
			r.Close()
			in.Close()
			if err != nil {
				return archiveError(file.Name(), err)
			}
		}
		return nil
	})
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

// check verifies the archives. It returns the error of the first one with a fault.
func (*warcFlags) check(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	var first error
	pack := ""
	for _, f := range files {
		name := f.Name()
		if pack != f.Path {
			pack = f.Path
			if err := checkPackage(a, pack); err != nil && first == nil {
				first = err
			}
		}
		file, err := f.Open()
		if err != nil {
			return err
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

// checkPackage verifies the hashes of a WACZ package. It does nothing for other files.
func checkPackage(a *app.App, name string) error {
	faults := 0
	is, err := warc.CheckPackage(name, func(fault string) {
		faults++
		fmt.Fprintf(a.Out(), "%s: %s\n", name, render.Escape(fault))
	})
	if err != nil || !is {
		return err
	}
	fmt.Fprintf(a.Out(), "%s: WACZ package, %d faults\n", name, faults)
	if faults > 0 {
		return fetch.Errorf(fetch.ErrProtocol, "%s has %d fault(s)", name, faults)
	}
	return nil
}

// counts formats the number of records of each type.
func counts(types map[string]int) string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&b, ", %d %s", types[kind], render.Escape(kind))
	}
	return b.String()
}
