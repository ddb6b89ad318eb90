package urn

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.org/deref/fetch"
)

const (
	firstWait    = 2 * time.Second // before a query is repeated; doubled each time
	mostAsked    = 3               // datagrams for one query
	mostQueries  = 16              // for one name, over a chain of rules
	mostRecords  = 100             // of one response
	payload      = 1232            // bytes of a response by datagram: DNS flag day 2020
	typeNAPTR    = dnsmessage.Type(35)
	domainOctets = 255 // RFC 1035 section 2.3.4
)

// A resolver queries one DNS server: by datagrams, and by a connection if a response does not fit (RFC 7766).
type resolver struct {
	env     *fetch.Env
	addr    string
	wait    time.Duration
	packets *fetch.Packets
	port    int
	left    int // queries
}

func newResolver(ctx context.Context, env *fetch.Env, addr string, wait time.Duration) (*resolver, error) {
	_, p, _ := net.SplitHostPort(addr)
	port, err := strconv.Atoi(p)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "not a DNS server: %q", addr)
	}
	packets, err := env.Packets(ctx, addr)
	return &resolver{env: env, addr: addr, wait: wait, packets: packets, port: port, left: mostQueries}, err
}

// next parses one record of a response and adds its data. It does not use Parser.Answer, which links the names of all types, a table that is built at every
// start of the program. Printing an RCode would do the same.
func (q question) next(p *dnsmessage.Parser, list *[][]byte) error {
	h, err := p.AnswerHeader()
	if err != nil {
		return err
	}
	if h.Type != q.Type || h.Class != q.Class { // a CNAME before them
		return p.SkipAnswer()
	}
	raw, err := p.UnknownResource()
	*list = append(*list, raw.Data)
	return err
}

// A question is a query message and the fields that identify its response.
type question struct {
	dnsmessage.Question
	id  uint16
	raw []byte
}

func ask(name string, id uint16) (q question, err error) {
	full, err := dnsmessage.NewName(name + ".")
	if err != nil {
		return q, fetch.Errorf(fetch.ErrProtocol, "not a DNS name: %.40q", name)
	}
	q.id = id
	q.Question = dnsmessage.Question{Name: full, Type: typeNAPTR, Class: dnsmessage.ClassINET}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: q.id, RecursionDesired: true})
	b.StartQuestions()
	b.Question(q.Question)
	b.StartAdditionals()
	var edns dnsmessage.ResourceHeader
	if err = edns.SetEDNS0(payload, dnsmessage.RCodeSuccess, false); err == nil {
		b.OPTResource(edns, dnsmessage.OPTResource{})
		q.raw, err = b.Finish()
	}
	if err != nil {
		return q, fetch.Errorf(fetch.ErrProtocol, "not a DNS name: %.40q", name)
	}
	return q, nil
}

// records returns the data of the NAPTR records at a name. A name that does not exist has none.
func (r *resolver) records(ctx context.Context, name string) ([][]byte, error) {
	if r.left--; r.left < 0 {
		return nil, fetch.Errorf(fetch.ErrLimit, "the rules in the DNS need more than %d lookups", mostQueries)
	}
	var id [2]byte
	r.env.Random(id[:])
	q, err := ask(name, binary.BigEndian.Uint16(id[:]))
	if err != nil {
		return nil, err
	}
	list, whole, err := r.byDatagram(q)
	if err == nil && !whole {
		list, err = r.byConnection(ctx, q)
	}
	return list, err
}

func (r *resolver) byDatagram(q question) (list [][]byte, whole bool, err error) {
	space := make([]byte, 64<<10)
	wait := r.wait
	for range mostAsked {
		if err := r.packets.Send(q.raw, 0); err != nil {
			return nil, false, err
		}
		by := time.Now().Add(wait)
		for {
			n, port, err := r.packets.Receive(space, by)
			if fetch.KindOf(err) == fetch.ErrTimeout {
				break
			}
			if err != nil {
				return nil, false, err
			}
			if port != r.port {
				continue // not the server's
			}
			if list, whole, ours, err := q.answer(space[:n]); ours {
				return list, whole, err
			}
		}
		wait *= 2
	}
	return nil, false, fetch.Errorf(fetch.ErrTimeout, "the DNS server %s does not respond", r.addr)
}

func (r *resolver) byConnection(ctx context.Context, q question) ([][]byte, error) {
	c, err := r.env.Dial(ctx, "tcp", r.addr, &fetch.DialOptions{Record: fetch.RecordOctets})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(q.raw))), q.raw...)); err != nil {
		return nil, err
	}
	c.BeginReply()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, b); err != nil {
		return nil, err
	}
	list, whole, ours, err := q.answer(b)
	if err == nil && !(ours && whole) {
		err = fetch.Errorf(fetch.ErrProtocol, "the DNS server responded to another query")
	}
	return list, err
}

// answer parses a message. ours is false if it is not a response to q, for example a forged one.
func (q question) answer(b []byte) (list [][]byte, whole, ours bool, err error) {
	var p dnsmessage.Parser
	h, err := p.Start(b)
	if err != nil || !h.Response || h.ID != q.id {
		return nil, false, false, nil
	}
	asked, err := p.AllQuestions()
	if err != nil || len(asked) != 1 || asked[0].Type != q.Type || asked[0].Class != q.Class || !strings.EqualFold(asked[0].Name.String(), q.Name.String()) {
		return nil, false, false, nil
	}
	switch h.RCode {
	case dnsmessage.RCodeSuccess, dnsmessage.RCodeNameError:
	case dnsmessage.RCodeRefused:
		return nil, true, true, fetch.Errorf(fetch.ErrRefused, "the DNS server refused the query")
	default:
		return nil, true, true, fetch.Errorf(fetch.ErrUnavailable, "the DNS server responded with code %d", int(h.RCode))
	}
	for !h.Truncated {
		err := q.next(&p, &list)
		switch {
		case err == dnsmessage.ErrSectionDone:
			return list, true, true, nil
		case err != nil:
			return nil, true, true, fetch.Errorf(fetch.ErrProtocol, "bad response of the DNS server: %v", err)
		case len(list) > mostRecords:
			return nil, true, true, fetch.Errorf(fetch.ErrLimit, "the DNS server sent more than %d records", mostRecords)
		}
	}
	return nil, false, true, nil
}
