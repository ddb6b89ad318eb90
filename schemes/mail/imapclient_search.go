package mail

import (
	"iter"
	"slices"
	"strings"
	"time"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"example.org/deref/fetch"
)

// A folder is a line of LIST.
type folder struct {
	name  string
	delim string
	attrs []string
}

// has reports whether the folder has an attribute.
func (f folder) has(attr string) bool {
	return slices.ContainsFunc(f.attrs, func(a string) bool { return strings.EqualFold(a, attr) })
}

// folders lists all of them.
func (s *session) folders() iter.Seq2[folder, error] {
	return func(yield func(folder, error) bool) {
		var cmd *imapclient.ListCommand
		err := s.take(func() error {
			s.guard.grant(0)
			cmd = s.client.List("", "*", nil)
			s.drain = cmd.Close
			return nil
		})
		each(s, err, "LIST", yield, func() (f folder, more bool, err error) {
			d := cmd.Next()
			if d == nil {
				return f, false, nil
			}
			return folderOf(d), true, nil
		})
	}
}

func folderOf(d *wire.ListData) folder {
	f := folder{name: d.Mailbox}
	if d.Delim != 0 {
		f.delim = string(d.Delim)
	}
	for _, a := range d.Attrs {
		f.attrs = append(f.attrs, string(a))
	}
	return f
}

// examine opens a folder for reading only. It returns its UIDVALIDITY and how many messages it has.
func (s *session) examine(name string) (validity, messages uint32, err error) {
	s.guard.grant(0)
	var d *wire.SelectData
	err = s.guard.call(func() (err error) {
		d, err = s.client.Select(name, &wire.SelectOptions{ReadOnly: true}).Wait()
		return err
	})
	if err != nil {
		return 0, 0, s.fail(err, "EXAMINE")
	}
	return d.UIDValidity, d.NumMessages, nil
}

// program stands for a search program until the guard replaces it: the library has no words for one that is given.
const program = `TEXT "deref: the search program"`

// search asks for a search program as it stands.
func (s *session) search(words string) ([]uint32, error) {
	s.guard.replace(program, words)
	defer s.guard.replace("", "")
	return s.uids(&wire.SearchCriteria{Text: []string{"deref: the search program"}})
}

// searchText asks for messages that have all the words, in their header or body.
func (s *session) searchText(words []string) ([]uint32, error) {
	return s.uids(&wire.SearchCriteria{Text: words})
}

// searchHeader asks for messages with a text in a header field.
func (s *session) searchHeader(name, value string) ([]uint32, error) {
	return s.uids(&wire.SearchCriteria{Header: []wire.SearchCriteriaHeaderField{{Key: name, Value: value}}})
}

// searchAddress asks for messages to or from an address, of a date and later if there is one.
func (s *session) searchAddress(addr string, since time.Time) ([]uint32, error) {
	field := func(name string) wire.SearchCriteria {
		return wire.SearchCriteria{Header: []wire.SearchCriteriaHeaderField{{Key: name, Value: addr}}}
	}
	to := wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{field("To"), field("Cc")}}}
	c := &wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{field("From"), to}}}
	if !since.IsZero() {
		c.SentSince = since.AddDate(0, 0, -1) // the server compares dates without their zones
	}
	return s.uids(c)
}

// maxUIDs bounds the answer to a search.
const maxUIDs = 1 << 20

func (s *session) uids(c *wire.SearchCriteria) ([]uint32, error) {
	s.guard.grant(0)
	var d *wire.SearchData
	err := s.guard.call(func() (err error) {
		d, err = s.client.UIDSearch(c, nil).Wait()
		return err
	})
	if err != nil {
		return nil, s.fail(err, "SEARCH")
	}
	set, ok := d.All.(wire.UIDSet)
	if !ok || set.Dynamic() {
		return nil, nil
	}
	list := []uint32{}
	for _, r := range set { // a range may be a lie: "1:4294967295"
		for n := uint64(r.Start); n <= uint64(r.Stop); n++ {
			if len(list) == maxUIDs {
				return nil, fetch.Errorf(fetch.ErrLimit, "the search has more than %d hits", maxUIDs)
			}
			list = append(list, uint32(n))
		}
	}
	return list, nil
}
