package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.org/deref/fetch"
)

// answer is the result of a row.
type answer struct {
	ID     json.RawMessage `json:"id"`
	OK     bool            `json:"ok"`
	Result any             `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// batch writes an answer for each row, in order, and flushes when no input is waiting.
func (w *workbench) batch(in io.Reader, out io.Writer) error {
	br, bw := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	broken := false
	for {
		if br.Buffered() == 0 {
			bw.Flush()
		}
		line, err := br.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			a, ok := w.answer(line)
			broken = broken || !ok
			if err := enc.Encode(a); err != nil {
				return fetch.Errorf(fetch.ErrDisk, "%w", err)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	if err := bw.Flush(); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	if broken {
		return errors.New("a line was not a JSON object")
	}
	return nil
}

// answer carries out one row. It returns false if the line is not a row at all.
func (w *workbench) answer(line []byte) (a answer, ok bool) {
	a.ID = json.RawMessage("null")
	var r row
	if err := json.Unmarshal(line, &r); err != nil || line[0] != '{' {
		a.Error = "not a JSON object"
		return a, false
	}
	if len(r.ID) > 0 {
		a.ID = r.ID
	}
	op, known := w.op(r.Kind)
	if !known {
		a.Error = fmt.Sprintf("no kind %q", r.Kind)
		return a, true
	}
	result, err := op.do(w, &r)
	if err != nil {
		a.Error = err.Error()
		return a, true
	}
	a.OK, a.Result = true, result
	return a, true
}

// op returns an operation, from a table that is built once.
func (w *workbench) op(name string) (uriOp, bool) {
	if w.ops == nil {
		w.ops = map[string]uriOp{}
		for _, o := range uriOps() {
			w.ops[o.name] = o
		}
	}
	o, ok := w.ops[name]
	return o, ok
}
