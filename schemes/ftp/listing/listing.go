// Package listing reads what FTP servers answer to LIST and MLSD. The format of LIST is each server's own (RFC 959 §4.1.3), that
// of MLSD is RFC 3659's. It knows the dialects of UNIX ls, DOS and IIS, VMS, NetWare, MVS, OS/2, OS/400, z/VM, JES, NonStop, OS-9, VxWorks, VShell, WFFTP, EPLF and MLSx.
//
// A line that no dialect knows becomes a Line of Kind Unknown; it never costs the others. A date that can mean several days is left
// out, and so is a size that was rounded.
package listing

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"
	"time"
)

// Kind is what a line speaks of.
type Kind int

const (
	Unknown Kind = iota // nobody knows the line; Name holds it
	File
	Dir
	Link
	Special // a device, pipe or socket
)

// Line is one entry.
type Line struct {
	Kind     Kind
	Name     string // octets as sent
	Target   string // of a Link, "" where it is not told
	Size     int64  // octets, -1 unknown
	Modified time.Time
	Attr     map[string][]string // what else is told: facts of MLSx, permissions, owner, ...
}

// Options say how to read; nil means the default.
type Options struct {
	Now time.Time // dates without a year are the latest before it; zero leaves them out
	// Zone is where the server's clock stands. LIST does not tell; nil is UTC. MLSx and EPLF are always UTC.
	Zone *time.Location
}

// maxLine bounds one line; file systems allow a few hundred octets a name.
const maxLine = 16 << 10

// Parse yields the entries of r in order, without "." and "..". An error of r comes last and alone.
func Parse(r io.Reader, o *Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		p := newParser(o)
		in := bufio.NewReaderSize(r, maxLine)
		for {
			raw, err := nextLine(in)
			if !p.feed(string(raw), yield) {
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

// nextLine returns a line without its end. Of one that is too long the beginning is returned, and the rest is passed over.
func nextLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r"), err // QUIRK: a server that converts twice ends lines with CR CR LF
}

// verdict is what a dialect thinks of a line.
type verdict int

const (
	no    verdict = iota // not mine
	entry                // an entry
	skip                 // mine, and no entry: a heading, a total, a folder's own line
	more                 // an entry that goes on in the next line
)

// dialect reads one line; what it must remember it keeps in the parser.
type dialect func(p *parser, line string) (Line, verdict)

// parser goes through a listing, which is all in one dialect as a rule: the one that knew the last line is asked first.
type parser struct {
	o       Options
	order   []dialect
	pending string // a line that goes on in the next one
	mvs     string // what the heading of a listing of MVS has promised
	facts   bool   // MLSx was seen
	latest  string // the last name of VMS that stands for the latest version
	entries int    // how many entries were yielded
	gap     bool   // the line before was blank
	below   bool   // what comes now is in directories below this one
}

func newParser(o *Options) *parser {
	p := &parser{order: []dialect{mlsx, eplf, unix, dos, vms, mvs, os2, os400, jes, zvm, nonStop, os9, vshell, vxWorks, wfftp, inodes}}
	if o != nil {
		p.o = *o
	}
	if p.o.Zone == nil {
		p.o.Zone = time.UTC
	}
	return p
}

// feed reads one line; false ends the reading.
func (p *parser) feed(line string, yield func(Line, error) bool) bool {
	if isBlank(line) {
		p.gap = true
		return true
	}
	gap := p.gap || p.entries == 0
	p.gap = false
	if p.pending != "" {
		joined := p.pending + " " + line
		if l, v := vms(p, joined); v == entry {
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
	for i, d := range p.order {
		l, v := d(p, line)
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
	if gap && strings.HasSuffix(line, ":") && !strings.Contains(line, ": ") { // ls -lR: the name of the directory that comes
		p.below = p.entries > 0
		return !p.below || p.unknown(line, yield)
	}
	return p.unknown(line, yield)
}

// unknown yields a line that is not read: in a format that no dialect knows, or of another directory, to which the listing's
// address does not lead.
func (p *parser) unknown(line string, yield func(Line, error) bool) bool {
	return yield(Line{Kind: Unknown, Name: line, Size: -1}, nil)
}

// flush gives up on a line whose other half did not come.
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
	return yield(l, nil)
}

func isBlank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			return false
		}
	}
	return true
}
