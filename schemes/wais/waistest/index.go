package waistest

import (
	"math"
	"slices"
	"strings"
)

// A posting is how often a word occurs in a document.
type posting struct{ doc, count int }

// maxIndexed limits the indexed part of a document.
const maxIndexed = 4 << 20

// index adds the words of a document, and drops its text if that can be read again from a file.
func (d *database) index(i int, doc *document) {
	text := string(doc.text[:min(len(doc.text), maxIndexed)])
	if d.Name != info {
		doc.text = nil
	}
	counts := map[string]int{}
	if doc.types[0] == "TEXT" || doc.types[0] == "HTML" || doc.types[0] == "WSRC" || d.Type != "" {
		for _, w := range tokens(text) {
			counts[w]++
		}
	}
	for _, w := range tokens(doc.headline) {
		counts[w]++
	}
	d.fields(text, counts)
	for w, n := range counts {
		d.words[w] = append(d.words[w], posting{i, n})
	}
}

// fields counts the words of a message's searchable header fields, as "subject=word".
func (d *database) fields(text string, counts map[string]int) {
	if len(d.Fields) == 0 {
		return
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.ToLower(name); !ok {
			return // the header is over
		}
		if slices.Contains(d.Fields, name) {
			for _, w := range tokens(value) {
				counts[name+"="+w]++
			}
		}
	}
}

// tokens splits a text into words, in lower case. Letters are those of ISO Latin 1, byte by byte.
func tokens(text string) []string {
	var list []string
	var word []byte
	for i := range len(text) + 1 {
		c := byte(' ')
		if i < len(text) {
			c = lower(text[i])
		}
		if isLetter(c) {
			word = append(word, c)
			continue
		}
		if len(word) > 0 {
			list, word = append(list, string(word)), word[:0]
		}
	}
	return list
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' || c >= 0xc0 && c <= 0xde && c != 0xd7 {
		return c + 0x20
	}
	return c
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0xdf && c != 0xf7
}

// A query is words joined by "or" (the default), "and", "not". word* matches all words with that prefix, and field=word a word of a field.
type query struct {
	term string
	op   string
}

func parse(words string) (list []query) {
	op := "or"
	for _, f := range strings.Fields(words) {
		switch strings.ToLower(f) {
		case "and", "or", "not":
			op = strings.ToLower(f)
			continue
		}
		field, value, ok := strings.Cut(f, "=")
		if ok && field != "" {
			for _, w := range tokens(value) {
				list = append(list, query{field + "=" + w, op})
				op = "or"
			}
			continue
		}
		for _, w := range tokens(f) {
			if strings.HasSuffix(f, "*") {
				w += "*"
			}
			list = append(list, query{w, op})
			op = "or"
		}
	}
	return list
}

// A ranked is a document and its score.
type ranked struct{ doc, score int }

// search ranks the documents by the number of matches. Rare words count more.
func (d *database) search(words string) []ranked {
	scores := map[int]float64{}
	for _, q := range parse(words) {
		found := d.find(q.term)
		for doc := range scores {
			if _, has := found[doc]; has == (q.op == "not") && q.op != "or" {
				delete(scores, doc)
			}
		}
		for doc, s := range found {
			if _, has := scores[doc]; q.op == "or" || q.op == "and" && has {
				scores[doc] += s
			}
		}
	}
	top := 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	var list []ranked
	for doc, s := range scores {
		list = append(list, ranked{doc, max(1, int(math.Round(1000*s/top)))})
	}
	slices.SortFunc(list, func(a, b ranked) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return a.doc - b.doc
	})
	return list
}

// find returns the weight of a word in each document that contains it.
func (d *database) find(term string) map[int]float64 {
	found := map[int]float64{}
	add := func(list []posting) {
		weight := 1 + math.Log(float64(len(d.docs))/float64(len(list)))
		for _, p := range list {
			found[p.doc] += weight * (1 + math.Log(float64(p.count)))
		}
	}
	prefix, isPrefix := strings.CutSuffix(term, "*")
	if !isPrefix {
		if list := d.words[term]; list != nil {
			add(list)
		}
		return found
	}
	for w, list := range d.words {
		if strings.HasPrefix(w, prefix) {
			add(list)
		}
	}
	return found
}
