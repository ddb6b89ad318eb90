package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// blank skips the empty lines between records. It returns the next line, and its offset in the member.
func (r *Reader) blank() (line string, at int64, err error) {
	for ; ; r.ends++ {
		at = r.within()
		if line, err = r.line(); err != nil || line != "" {
			return line, at, err
		}
	}
}

// line reads a line without its end. For a line cut by the end of the archive it returns io.ErrUnexpectedEOF.
func (r *Reader) line() (string, error) {
	b, err := r.text.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		var long []byte
		for err == bufio.ErrBufferFull && len(long) < maxHeader {
			long = append(long, b...)
			b, err = r.text.ReadSlice('\n')
		}
		b = append(long, b...)
	}
	switch {
	case err == bufio.ErrBufferFull:
		return "", r.wrong("header line longer than %d bytes", maxHeader)
	case err == io.EOF && len(b) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return string(bytes.TrimRight(b, "\r\n")), nil
}

func (r *Reader) wrong(format string, args ...any) error {
	return &FormatError{max(r.from, r.in.start), fmt.Sprintf(format, args...)}
}

// versionIn returns what follows "WARC/", which may be in lower case, too: the grammar is that of RFC 2616 (ISO 28500:2017 section 4), whose
// literals ignore case.
func versionIn(line string) (version string, ok bool) {
	const name = "WARC/"
	if len(line) < len(name) || !strings.EqualFold(line[:len(name)], name) {
		return "", false
	}
	return line[len(name):], true
}

// header reads the fields after the version line.
func (r *Reader) header(first string, at int64) (*Record, error) {
	version, ok := versionIn(first)
	if !ok {
		if rec, err := r.arc(first, at); rec != nil {
			return rec, err
		}
		return nil, r.wrong("not a record: %.40q", first)
	}
	rec := r.recordAt(at)
	rec.Version = version
	for total := 0; ; {
		line, err := r.line()
		if err != nil {
			return nil, r.cut(eofWithin(err))
		}
		if line == "" {
			break
		}
		if total += len(line); total > maxHeader || len(rec.Fields) >= maxFields {
			return nil, r.wrong("record header of more than %d bytes or %d fields", maxHeader, maxFields)
		}
		if err := rec.addLine(line); err != nil {
			return nil, r.wrong("%v", err)
		}
	}
	n, err := strconv.ParseInt(rec.Fields.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return nil, r.wrong("no Content-Length")
	}
	rec.Size, rec.head = n, r.within()-at
	return rec, nil
}

// recordAt returns a record that begins at an offset in the current member.
func (r *Reader) recordAt(at int64) *Record {
	if r.in.plain {
		return &Record{Offset: r.in.start + at}
	}
	return &Record{Offset: r.in.start, Within: at}
}

// addLine adds a header line. A line that begins with a blank continues the previous field.
func (r *Record) addLine(line string) error {
	if n := len(r.Fields); (line[0] == ' ' || line[0] == '\t') && n > 0 {
		r.Fields[n-1].Value = strings.TrimSpace(r.Fields[n-1].Value + " " + strings.TrimSpace(line))
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%.40q is not a header field", line)
	}
	r.Fields = append(r.Fields, Field{name, strings.TrimSpace(value)})
	return nil
}
