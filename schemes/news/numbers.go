package news

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Bounds of numbers, which a server makes up as it likes.
const (
	maxNumbers = 4 << 20 // that are listed
	maxHoles   = 1 << 18 // that are asked for, one after the other, and have no article
)

// fewHoles is a span in which it costs less to meet the holes than to ask for them: one flight.
const fewHoles = maxCommands

// numbers are those from low to high that are worth asking for: of a group with holes those that LISTGROUP knows, and where only
// articles since a date are wanted, those that their dates tell.
func (r *run) numbers(g group, low, high int64) (iter.Seq[int64], error) {
	span := max(0, high-low+1)
	all := func(yield func(int64) bool) {
		for n := low; n <= high && yield(n); n++ {
		}
	}
	var list []int64
	var err error
	switch {
	case span == 0:
		return all, nil
	case !r.since.IsZero():
		list, err = r.dated(low, high)
	case span > fewHoles && g.high-g.low+1 > g.count:
		list, err = r.listgroup(g, low, high)
	}
	if err != nil || list == nil {
		return all, err
	}
	return slices.Values(list), nil
}

// listgroup says LISTGROUP; nil where that is refused.
//
// QUIRK: leafnode 1.12 knows it without a range only, and answers 411.
func (r *run) listgroup(g group, low, high int64) (list []int64, err error) {
	s := withSpan(r.plan.When(ifHoles)[0], low, high)
	s.Args[0] = g.name
	r.s.enqueue(s)
	_, a, err := r.nextReply()
	if err != nil || a.code != 211 {
		return nil, err
	}
	list = []int64{}
	err = r.eachLine(limited(g.high-g.low+1, func(line string) {
		if n, ok := number(strings.TrimSpace(line)); ok {
			list = within(list, n, low, high)
		}
	}))
	if list != nil {
		r.doc.Missing += high - low + 1 - int64(len(list))
	}
	return list, err
}

// limited calls take for each of the lines that a list of so many numbers can have.
func limited(span int64, take func(line string)) func(line string) error {
	left := min(span, maxNumbers)
	return func(line string) error {
		if left--; left < 0 {
			return &fetch.Error{Kind: fetch.ErrLimit, Text: "the server lists too many articles", Hint: "nntp://HOST/GROUP/100-200 is a range of articles"}
		}
		take(line)
		return nil
	}
}

// within adds a number of the span to a list; nil where they are not in order.
func within(list []int64, n, low, high int64) []int64 {
	switch {
	case list == nil || n < low || n > high:
		return list
	case len(list) > 0 && n <= list[len(list)-1]:
		return nil
	}
	return append(list, n)
}

// dated are the numbers of the articles whose dates are those that are wanted, or cannot be read; nil where HDR is not known.
func (r *run) dated(low, high int64) ([]int64, error) {
	list, gaps := []int64{}, high-low+1
	known, err := r.fields("Date", low, high, func(n int64, value string) {
		gaps--
		if r.wants(value) {
			list = within(list, n, low, high)
		}
	})
	if !known || list == nil {
		return nil, err
	}
	r.doc.Missing += max(0, gaps)
	return list, err
}

// wants reports whether an article of a date is wanted: one that says nothing is.
func (r *run) wants(date string) bool {
	t := parseDate(date)
	return t.IsZero() || !t.Before(r.since)
}

// fields says HDR, or XHDR, and calls take for each article; known is false where the server has neither. No article is an answer, too.
//
// QUIRK: leafnode 1.12 answers HDR with the code of XHDR.
func (r *run) fields(name string, low, high int64, take func(n int64, value string)) (known bool, err error) {
	for _, verb := range []string{"HDR", "XHDR"} {
		r.s.enqueue(withSpan(r.stepOf(verb, name), low, high))
		step, a, err := r.nextReply()
		switch {
		case err != nil:
			return false, err
		case a.code == 420 || a.code == 423 || a.code == 430:
			return true, nil
		case unknown(a.code):
			continue
		case a.class() != 2:
			return false, fail(step, a)
		}
		return true, r.eachLine(limited(high-low+1, func(line string) {
			first, value, _ := strings.Cut(line, " ")
			if n, ok := number(first); ok {
				take(n, strings.TrimSpace(value))
			}
		}))
	}
	return false, nil
}

// eachLine reads the lines of a text that is a list, until take fails.
func (r *run) eachLine(take func(line string) error) error {
	for e, err := range linesOf(&body{text: newText(r.s.wire, nil)}, r.env.Limits().Line, func(line string) fetch.Entry { return fetch.Entry{Title: line} }) {
		if err == nil {
			err = take(e.Title)
		}
		if err != nil {
			return r.end(err)
		}
	}
	return nil
}

// stepOf finds the plan's step of a verb with a first argument.
func (r *run) stepOf(verb, arg string) fetch.Step {
	for _, s := range r.plan.Steps {
		if s.Verb == verb && s.Args[0] == arg {
			return s
		}
	}
	return fetch.Step{Verb: verb}
}

// eachNumber says step for each number, in flights, and yields those that were granted, whose text is to be read then. Numbers without an
// article (423; QUIRK: leafnode says 430) are gaps: they are counted and passed over.
func (r *run) eachNumber(step fetch.Step, numbers iter.Seq[int64]) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		next, stop := iter.Pull(numbers)
		defer stop()
		holes := 0
		for more := true; ; {
			for more && len(r.s.sent)+len(r.s.queue) < maxCommands {
				var n int64
				if n, more = next(); more {
					r.s.enqueue(withNumber(step, n))
				}
			}
			if len(r.s.sent)+len(r.s.queue) == 0 {
				return
			}
			said, a, err := r.nextReply()
			hole := a.code == 423 || a.code == 430 || a.code == 420
			if holes++; !hole {
				holes = 0
			}
			switch {
			case err == nil && holes > maxHoles:
				err = r.end(fetch.Errorf(fetch.ErrLimit, "%d numbers in a row have no article", holes))
			case err == nil && !hole && a.class() != 2:
				err = r.end(fail(said, a))
			}
			if err != nil {
				yield(0, err)
				return
			}
			if hole {
				r.doc.Missing++
				continue
			}
			n, _ := strconv.ParseInt(said.Args[0], 10, 64) // it was written by us
			if !yield(n, nil) {
				return
			}
		}
	}
}
