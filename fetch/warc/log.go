package warc

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// LogType is the type of the record with the log of a file: a line with the names of the columns, and one for each request.
const LogType = "text/tab-separated-values;charset=utf-8"

// logPrefix begins the target URI of that record, before the name of the file.
const logPrefix = "urn:log:"

// logColumns are the names of the columns. The result is "whole" or another Kind of an Outcome, and bytes are those of documents.
const logColumns = "begin\tseconds\tresult\tstatus\tbytes\turi\terror\n"

// maxLog bounds the log of a file. What is beyond it is only counted.
const maxLog = 16 << 20

// A runLog is the log of the file that is being written.
type runLog struct {
	text spool
	more int // lines that were left out
}

// log adds a line about a capture that has ended, if Options.Log is set.
func (w *Writer) log(c *capture) {
	if !w.o.Log {
		return
	}
	status, size := "-", c.object.size
	if c.out.Status > 0 {
		status = strconv.Itoa(c.out.Status)
	}
	for _, m := range c.messages {
		status = strconv.Itoa(m.head.status)
		size += m.payload.size
	}
	line := fmt.Sprintf("%s\t%.3f\t%s\t%s\t%d\t%s\t%s\n", stampOf(c.start), w.o.now().Sub(c.start).Seconds(), c.out.Kind, status, size, c.out.URI,
		strings.ReplaceAll(oneLine(c.out.Error), "\t", " "))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logged.add(line, filepath.Dir(w.name))
}

func (l *runLog) add(line, dir string) {
	if l.text.size == 0 {
		l.text.dir = dir
		l.text.Write([]byte(logColumns))
	}
	if l.more > 0 || l.text.size+int64(len(line)) > maxLog {
		l.more++
		return
	}
	l.text.Write([]byte(line))
}

// appendLog writes the log at the end of a file. The caller holds mu.
func (w *Writer) appendLog() error {
	l := &w.logged
	if l.text.size == 0 {
		return nil
	}
	if l.more > 0 {
		fmt.Fprintf(&l.text, "# %d more requests\n", l.more)
	}
	defer func() { l.text.close(); *l = runLog{} }()
	if l.text.err != nil {
		return l.text.err
	}
	r := newRecord(Metadata, logPrefix+filepath.Base(w.final), w.o.now())
	r.Fields.add("Content-Type", LogType)
	r.put(&l.text, 0, l.text.size)
	return w.append(r)
}
