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
	firstWait    = 2 * time.Second // before a question is asked again; each later time twice as long
	mostAsked    = 3               // datagrams for one question
	mostQueries  = 16              // questions for one name: what a chain of rules may cost
	mostRecords  = 100             // of an answer that are read
	payload      = 1232            // octets of an answer by datagram: DNS flag day 2020
	typeNAPTR    = dnsmessage.Type(35)
	domainOctets = 255 // RFC 1035 section 2.3.4
)

// A resolver asks one DNS server: by datagrams, and by a connection where an answer does not fit (RFC 7766).
type resolver struct {
	env     *fetch.Env
	addr    string
	wait    time.Duration
	packets *fetch.Packets
	port    int
	left    int // questions
}

func newResolver(ctx context.Context, env *fetch.Env, addr string, wait time.Duration) (*resolver, error) {
	_, p, _ := net.SplitHostPort(addr)
	port, err := strconv.Atoi(p)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%q is no DNS server", addr)
	}
	packets, err := env.Packets(ctx, addr)
	return &resolver{env: env, addr: addr, wait: wait, packets: packets, port: port, left: mostQueries}, err
}

// A record is a NAPTR record's data, or an SRV record.
type record struct {
	naptr []byte
	srv   dnsmessage.SRVResource
}

// next reads one record of an answer. QUIRK: Parser.Answer would do too, but links the names of all types, a table that is built at every
// start of the program; so would printing an RCode.
func (q question) next(p *dnsmessage.Parser, list *[]record) error {
	h, err := p.AnswerHeader()
	if err != nil {
		return err
	}
	if h.Type != q.Type || h.Class != q.Class { // the CNAMEs before them do not matter
		return p.SkipAnswer()
	}
	var r record
	if q.Type == typeNAPTR {
		var raw dnsmessage.UnknownResource
		raw, err = p.UnknownResource()
		r.naptr = raw.Data
	} else {
		r.srv, err = p.SRVResource()
	}
	*list = append(*list, r)
	return err
}

// A question is one query message and what identifies its answer.
type question struct {
	dnsmessage.Question
	id  uint16
	raw []byte
}

func ask(name string, kind dnsmessage.Type, id uint16) (q question, err error) {
	full, err := dnsmessage.NewName(name + ".")
	if err != nil {
		return q, fetch.Errorf(fetch.ErrProtocol, "%.40q is no name of the DNS", name)
	}
	q.id = id
	q.Question = dnsmessage.Question{Name: full, Type: kind, Class: dnsmessage.ClassINET}
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
		return q, fetch.Errorf(fetch.ErrProtocol, "%.40q is no name of the DNS", name)
	}
	return q, nil
}

// records asks for the records of one kind at a name. A name that does not exist has none.
func (r *resolver) records(ctx context.Context, name string, kind dnsmessage.Type) ([]record, error) {
	if r.left--; r.left < 0 {
		return nil, fetch.Errorf(fetch.ErrLimit, "the rules of the DNS ask for more than %d look-ups", mostQueries)
	}
	var id [2]byte
	r.env.Random(id[:])
	q, err := ask(name, kind, binary.BigEndian.Uint16(id[:]))
	if err != nil {
		return nil, err
	}
	list, whole, err := r.byDatagram(q)
	if err == nil && !whole {
		list, err = r.byConnection(ctx, q)
	}
	return list, err
}

func (r *resolver) byDatagram(q question) (list []record, whole bool, err error) {
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
	return nil, false, fetch.Errorf(fetch.ErrTimeout, "the DNS server %s does not answer", r.addr)
}

func (r *resolver) byConnection(ctx context.Context, q question) ([]record, error) {
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
		err = fetch.Errorf(fetch.ErrProtocol, "the DNS server answers another question")
	}
	return list, err
}

// answer reads a message. ours is false where it is no answer to q, so that a guess from elsewhere is not taken for one.
func (q question) answer(b []byte) (list []record, whole, ours bool, err error) {
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
		return nil, true, true, fetch.Errorf(fetch.ErrRefused, "the DNS server refuses the question")
	default:
		return nil, true, true, fetch.Errorf(fetch.ErrUnavailable, "the DNS server answers with the code %d", int(h.RCode))
	}
	for !h.Truncated && len(list) < mostRecords {
		err := q.next(&p, &list)
		if err == dnsmessage.ErrSectionDone {
			break
		}
		if err != nil {
			return nil, true, true, fetch.Errorf(fetch.ErrProtocol, "the DNS server's answer: %v", err)
		}
	}
	return list, !h.Truncated, true, nil
}
