// Package listing parses the listings that FTP servers send for LIST and MLSD. RFC 959 §4.1.3 leaves the format of LIST to the server.
// RFC 3659 defines that of MLSD. The package knows the dialects of UNIX ls, DOS and IIS, VMS, NetWare, MVS, OS/2, OS/400, z/VM, JES,
// NonStop, OS-9, VxWorks, VShell, WFFTP, EPLF and MLSx.
//
// A line in no known dialect becomes a Line of Kind Unknown and does not affect the others. A date that can mean several days is
// omitted, and so is a size that was rounded.
package listing

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"
	"time"
)

// Kind is the kind of file that a line describes.
type Kind int

const (
	Unknown Kind = iota // no known dialect; Name holds the line
	File
	Dir
	Link
	Special // a device, pipe or socket
)

// Line is one entry.
type Line struct {
	Kind     Kind
	Name     string // as sent, in any character set
	Target   string // of a Link, "" if unknown
	Size     int64  // bytes, -1 unknown
	Modified time.Time

	// Exact is the unit to which Modified is known: 24 hours, a minute or a second; 0 if it is unknown.
	Exact time.Duration
	// Zoned is set if the line states the zone of Modified, or its format is one of UTC. Else Modified is the time of the server's clock as UTC.
	Zoned bool

	Attr map[string][]string // other columns: facts of MLSx, permissions, owner, ...
}

// Options control parsing. A nil *Options means the zero Options.
type Options struct {
	Now time.Time // dates without a year are the latest before it; zero omits them

	// LineEnd, if not nil, is called for line ends other than CRLF, which Parse accepts: "LF without CR", "CR CR LF".
	LineEnd func(wrong string)
	// Facts, if not nil, is called for what Parse accepts against RFC 3659 in the listing of MLSx, with the section.
	Facts func(section, wrong string)
}

// maxLine bounds one line. File systems allow a few hundred bytes for a name.
const maxLine = 16 << 10

// Parse yields the entries of r in order, without "." and "..". An error of r comes last and alone.
func Parse(r io.Reader, o *Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		p := newParser(o)
		in := bufio.NewReaderSize(r, maxLine)
		for {
			raw, whole, err := p.nextLine(in)
			feed := p.feed
			if !whole {
				feed = p.unknown
			}
			if !feed(string(raw), yield) {
				return
			}
			if err == io.EOF {
				p.flush(yield)
				return
			}
			if err != nil {
				yield(Line{}, err)
				return
			}
		}
	}
}

// nextLine returns a line without its end. Of a line that is too long, whose name would be another file's, it returns the beginning and false, and
// skips the rest.
func (p *parser) nextLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	line, err = in.ReadSlice('\n')
	if whole = err != bufio.ErrBufferFull; !whole {
		line = bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
	}
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	switch {
	case !ended || p.o.LineEnd == nil:
	case !bytes.HasSuffix(line, []byte("\r")):
		p.o.LineEnd("LF without CR")
	case bytes.HasSuffix(line, []byte("\r\r")):
		p.o.LineEnd("CR CR LF")
	}
	return bytes.TrimRight(line, "\r"), whole, err // QUIRK: a server that converts twice ends lines with CR CR LF
}

// verdict is a dialect's result for a line.
type verdict int

const (
	no    verdict = iota // another dialect
	entry                // an entry
	skip                 // not an entry: a heading, a total, the directory's own line
	more                 // an entry that continues in the next line
)

// dialect parses one line, which is also split into words. Its state is in the parser.
type dialect func(p *parser, line string, f []field) (Line, verdict)

// parser parses a listing. As a rule all of it is in one dialect, so the dialect of the last line is tried first.
type parser struct {
	o       Options
	order   []dialect
	words   []field // of the present line
	months  map[string]time.Month
	pending string        // a line that continues in the next one
	rows    *form         // of the lines after a heading; nil before one
	facts   bool          // MLSx was seen
	latest  string        // the last name of VMS that stands for the latest version
	entries int           // how many entries were yielded
	gap     bool          // the line before was blank
	exact   time.Duration // of the time in the present line
	zoned   bool          // it has a zone
	below   bool          // the following lines are about directories below this one
}

func newParser(o *Options) *parser {
	p := &parser{order: []dialect{rows, mlsx, eplf, unix, dos, vms}, months: monthNames()}
	for _, f := range forms() {
		p.order = append(p.order, f.parse)
	}
	if o != nil {
		p.o = *o
	}
	return p
}

// feed parses one line. It returns false if the caller wants no more.
func (p *parser) feed(line string, yield func(Line, error) bool) bool {
	if strings.Trim(line, " \t") == "" {
		p.gap = true
		return true
	}
	gap := p.gap || p.entries == 0
	p.gap = false
	if p.pending != "" {
		joined := p.pending + " " + line
		p.exact, p.zoned = 24*time.Hour, false
		if l, v := vms(p, joined, fields(joined, nil)); v == entry {
			p.pending = ""
			return p.emit(l, yield)
		}
		if !p.flush(yield) {
			return false
		}
	}
	if p.below {
		return p.unknown(line, yield)
	}
	p.words = fields(line, p.words[:0])
	for i, d := range p.order {
		p.exact, p.zoned = 24*time.Hour, false
		l, v := d(p, line, p.words)
		if v == no {
			continue
		}
		copy(p.order[1:i+1], p.order[:i])
		p.order[0] = d
		switch v {
		case entry:
			return p.emit(l, yield)
		case more:
			p.pending = line
		}
		return true
	}
	if gap && strings.HasSuffix(line, ":") && !strings.Contains(line, ": ") { // ls -lR: the name of the next directory
		p.below = p.entries > 0
		return !p.below || p.unknown(line, yield)
	}
	return p.unknown(line, yield)
}

// unknown yields a line in no known dialect, or of another directory than the one that the listing's URI names.
func (p *parser) unknown(line string, yield func(Line, error) bool) bool {
	p.checkFact("7.2", "a line without facts and name", true)
	return yield(Line{Kind: Unknown, Name: line, Size: -1}, nil)
}

// flush yields a line whose continuation is missing.
func (p *parser) flush(yield func(Line, error) bool) bool {
	line := p.pending
	p.pending = ""
	if line == "" {
		return true
	}
	if l, ok := vmsName(line); ok && strings.Contains(line, ".") {
		return p.emit(l, yield)
	}
	return p.unknown(line, yield)
}

func (p *parser) emit(l Line, yield func(Line, error) bool) bool {
	p.entries++
	if l.Name == "." || l.Name == ".." {
		return true
	}
	switch {
	case l.Modified.IsZero():
		l.Exact, l.Zoned = 0, false
	case l.Exact == 0:
		l.Exact, l.Zoned = p.exact, p.zoned
	}
	return yield(l, nil)
}
