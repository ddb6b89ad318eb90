package main

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// archiveFlags are the flags of writing an archive of what is dereferenced.
type archiveFlags struct {
	warc     string
	warcSize size
	cdx      bool
	fromWarc []string
}

func (f *archiveFlags) add(fs *pflag.FlagSet) {
	fs.Var((*given)(&f.warc), "warc", "write every exchange into the archive `FILE`: .warc, .warc.gz or .warc.zst")
	fs.Var(&f.warcSize, "warc-size", "go on in another archive after `SIZE`: NAME-00000.warc.gz, ...")
	fs.Var((*givenList)(&f.fromWarc), "from-warc", "dereference what was captured in the archive `FILE`, and contact nobody")
	fs.BoolVar(&f.cdx, "cdx", false, "write a CDXJ index beside the archive")
}

// together is how long records wait for others, where nothing but the run itself tells what is done. It is less than one sees, and saves
// a call of the system for most of many short documents.
const together = 100 * time.Millisecond

// archive lets c dereference from archives, and an archive witness all that c does. Records may wait so long for others to be written
// with them. done ends it, and says what could not be written.
func (f *archiveFlags) archive(c *fetch.Client, replace bool, wait time.Duration) (done func() error, err error) {
	if len(f.fromWarc) > 0 {
		from, err := warc.OpenArchive(c.Schemes, f.fromWarc...)
		if err != nil {
			return nil, err
		}
		c.Schemes = from.Schemes()
	}
	if f.warc == "" {
		return func() error { return nil }, nil
	}
	if !isArchiveName(f.warc) {
		return nil, usageError("--warc " + f.warc + ": a name that ends in .warc, .warc.gz or .warc.zst is wanted, which says how it is packed")
	}
	if slices.ContainsFunc(f.fromWarc, func(name string) bool { return isSameFile(name, f.warc) }) {
		return nil, usageError("--warc and --from-warc " + f.warc + ": an archive cannot be read and written at a time")
	}
	w, err := warc.Create(f.warc, &warc.Options{Size: int64(f.warcSize), Index: f.cdx, Replace: replace, Wait: wait, Software: "deref/" + version()})
	if err != nil {
		return nil, err
	}
	c.Witness = warc.NewRecorder(w)
	return w.Close, nil
}

// isArchiveName reports whether the name says what is in the file.
func isArchiveName(name string) bool {
	for _, end := range []string{".warc", ".warc.gz", ".warc.zst"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func isSameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return a == b || errA == nil && errB == nil && os.SameFile(x, y)
}
