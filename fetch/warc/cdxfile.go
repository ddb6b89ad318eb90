package warc

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/wacz"
)

// An indexFile is a sorted CDXJ file, which is searched by bisection and never read as a whole to find one URI.
type indexFile struct {
	file     File
	blocks   *wacz.Index      // of a compressed index
	lines    *spool           // of an index that was written for this Archive, in place of file
	archives map[string]int32 // the numbers of the files that it indexes, by name
}

// A cdxjEntry is a parsed line.
type cdxjEntry struct {
	key  string
	date time.Time
	cdxjFields
}

// cdxjFields are the fields of a line that are used here. QUIRK: warcio and pywb write numbers as strings, others as numbers, and "-" for an
// unknown one.
type cdxjFields struct {
	URL      string      `json:"url"`
	Mime     string      `json:"mime"`
	Status   looseNumber `json:"status"`
	Digest   string      `json:"digest"`
	Length   looseNumber `json:"length"`
	Offset   looseNumber `json:"offset"`
	Filename string      `json:"filename"`
}

type looseNumber int64

func (n *looseNumber) UnmarshalJSON(b []byte) error {
	i, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || i < 0 {
		i = -1
	}
	*n = looseNumber(i)
	return nil
}

// parseCDXJ parses a line. It returns false for a header and for other lines that are not about a record.
func parseCDXJ(line string) (e cdxjEntry, ok bool) {
	key, rest, ok := strings.Cut(line, " ")
	stamp, object, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || json.Unmarshal([]byte(object), &e.cdxjFields) != nil || e.URL == "" || e.Offset < 0 {
		return e, false
	}
	e.key = key
	e.date = stampTime(stamp)
	return e, true
}

// stampTime parses the time of an index line.
func stampTime(s string) time.Time {
	t, _ := time.Parse("20060102150405", s)
	return t
}

// openIndex returns the index next to an archive, or nil if there is none, or none that can be used: it is older, names other files, or has keys
// of other rules.
func openIndex(archive File) *indexFile {
	name := indexName(archive.Path)
	index, err := os.Stat(name)
	is, aerr := os.Stat(archive.Path)
	if archive.entry != "" || err != nil || aerr != nil || !index.Mode().IsRegular() || !is.Mode().IsRegular() || index.ModTime().Before(is.ModTime()) {
		return nil
	}
	if x := (&indexFile{file: File{Path: name}}); x.fits([]File{archive}) {
		return x
	}
	return nil
}

// fits reports whether an index names only these archives and has keys of the same rules, as far as its beginning shows.
func (x *indexFile) fits(archives []File) bool {
	found, wrong, seen := false, false, 0
	err := x.each("", func(line string) bool {
		e, ok := parseCDXJ(line)
		switch seen += len(line); {
		case !ok: // a header
		case !slices.ContainsFunc(archives, func(a File) bool { return a.Base == filepath.Base(e.Filename) }), surt(e.URL) != e.key: // by other rules
			wrong = true
		default:
			found = true
		}
		return !wrong && seen < searchBlock
	})
	return err == nil && found && !wrong
}

// each calls do for the lines from the first that is not less than from on, until do returns false.
func (x *indexFile) each(from string, do func(line string) bool) error {
	if x.lines != nil {
		if err := eachLine(x.lines, x.lines.size, from, do); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "the index of %s: %w", x.file.Name(), err)
		}
		return nil
	}
	f, err := x.file.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	if x.blocks != nil {
		return x.blocks.From(f, from, do)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		err = eachLine(f, size, from, do)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", x.file.Name(), err)
	}
	return nil
}

// eachLine is each for a file of the given size.
func eachLine(r io.ReaderAt, size int64, from string, do func(line string) bool) error {
	at, err := firstLine(r, size, from)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, at, size-at), searchBlock)
	for {
		line, err := readLine(in)
		if line != "" && !(line < from) && !do(line) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// searchBlock is how much of an index is read at a time.
const searchBlock = 4 << 10

// readLine reads a line without its end. Of an overlong line, which no program writes, it returns only the beginning.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := in.ReadSlice('\n')
		if len(line)+len(b) <= maxHeader {
			line = append(line, b...)
		}
		if err != bufio.ErrBufferFull {
			return strings.TrimRight(string(line), "\r\n"), err
		}
	}
}

// firstLine returns the offset of a line before which all lines are less than from, at most searchBlock before the first that is not.
func firstLine(r io.ReaderAt, size int64, from string) (int64, error) {
	lo, hi := int64(0), size // lines that begin before lo are less than from, and those that begin at hi or later are not
	in := bufio.NewReaderSize(nil, searchBlock)
	for hi-lo > searchBlock {
		mid := lo + (hi-lo)/2
		in.Reset(io.NewSectionReader(r, mid, size-mid))
		rest, err := skipLine(in)
		start := mid + rest
		if err != nil && err != io.EOF {
			return 0, err
		}
		if err == io.EOF || start >= hi {
			hi = mid
			continue
		}
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if line < from {
			lo = start
			if start+int64(len(line)) >= hi {
				return lo, nil
			}
		} else {
			hi = start
		}
	}
	return lo, nil
}

// skipLine skips to the beginning of the next line, and returns how far that is.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		b, err := in.ReadSlice('\n')
		n += int64(len(b))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}
