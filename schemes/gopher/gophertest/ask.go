package gophertest

import (
	"bufio"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// A form is a file NAME.ask: the questions of Gopher+ (Ask, AskP, AskL, Choose, Select) and texts (Note), an empty line, and the text of the response, in
// which $1 to $9 stand for the answers to the first nine questions.

// asks reports whether an item is a form.
func asks(name string) bool { return path.Ext(name) == ".ask" }

// form returns the questions, and the text of the response.
func (s *server) form(name string) (questions []string, text string) {
	p, err := loopback.ReadFile(s.fsys, name)
	if err != nil {
		return nil, ""
	}
	head, text, _ := strings.Cut(strings.ReplaceAll(string(p), "\r\n", "\n"), "\n\n")
	return strings.Split(strings.TrimRight(head, "\n"), "\n"), text
}

// answerForm reads the data block and sends the text with the answers.
func (s *server) answerForm(w *writer, name string, q request) {
	w.Conn.SetReadDeadline(time.Now().Add(s.o.Idle))
	lines, err := readBlock(q.in)
	if err != nil {
		s.plusError(w, 2, "the answers were not understood: "+err.Error())
		return
	}
	questions, text := s.form(name)
	answers, err := assign(questions, lines)
	if err != nil {
		s.plusError(w, 2, err.Error())
		return
	}
	for i := range min(len(answers), 9) {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), answers[i])
	}
	s.counted(w, []byte(strings.ReplaceAll(text, "\n", "\r\n")))
}

// assign returns the answer to each question: one line, but for AskL the number of its lines and those lines.
func assign(questions, lines []string) ([]string, error) {
	var out []string
	for _, q := range questions {
		if strings.HasPrefix(q, "Note:") {
			continue
		}
		if len(lines) == 0 {
			return nil, errors.New("there are fewer answers than questions")
		}
		n, from := 1, 0
		if strings.HasPrefix(q, "AskL:") {
			count, err := strconv.Atoi(strings.TrimSpace(lines[0]))
			if err != nil || count < 0 || count > len(lines)-1 {
				return nil, errors.New("AskL needs the number of its lines")
			}
			n, from = count, 1
		}
		out = append(out, strings.Join(lines[from:from+n], "\n"))
		lines = lines[from+n:]
	}
	return out, nil
}

// maxBlock bounds a data block.
const maxBlock = 64 << 10

// readBlock reads "+LENGTH" and as many bytes, or "+-1" and lines up to a dot.
func readBlock(r *bufio.Reader) ([]string, error) {
	head, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(string(head)), "+"))
	switch {
	case err != nil || n > maxBlock || n < -1:
		return nil, errors.New("the length of the block is wrong")
	case n >= 0:
		p := make([]byte, n)
		if _, err := io.ReadFull(r, p); err != nil {
			return nil, err
		}
		return split(string(p)), nil
	}
	p, err := io.ReadAll(io.LimitReader(lineproto.NewDotReader(r), maxBlock+1))
	switch {
	case err != nil:
		return nil, err
	case len(p) > maxBlock:
		return nil, errors.New("the block is too long")
	}
	return split(string(p)), nil
}

func split(text string) []string {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return strings.Split(text, "\n")
}
