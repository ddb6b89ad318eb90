package schemes_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
)

// ber writes an element of BER.
func ber(tag byte, parts ...string) string {
	in := strings.Join(parts, "")
	return string([]byte{tag, 0x83, byte(len(in) >> 16), byte(len(in) >> 8), byte(len(in))}) + in
}

// A berReader reads elements one by one. Its error is about the first element with an unexpected tag or value.
type berReader struct {
	in  []byte
	err error
}

// any reads the next element.
func (r *berReader) any() (tag byte, in []byte) {
	e, rest, ok := frames.Next(r.in)
	if r.err != nil || !ok || e.Size == 0 || e.Size > len(r.in) {
		r.fail("got %q, want an element", r.in)
		return 0, nil
	}
	r.in = rest
	return e.Tag, e.Contents
}

func (r *berReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// take reads the next element, which must have the given tag.
func (r *berReader) take(tag byte) []byte {
	got, in := r.any()
	if got != tag {
		r.fail("got the tag %#x, want %#x", got, tag)
	}
	return in
}

// within reads an element's contents to their end.
func (r *berReader) within(tag byte, f func(*berReader)) {
	in := &berReader{in: r.take(tag)}
	if r.err != nil {
		return
	}
	if f(in); in.err == nil && len(in.in) > 0 {
		in.fail("got %q, want the end", in.in)
	}
	r.err = in.err
}

func (r *berReader) number() (n int) {
	for _, c := range r.take(0x02) {
		n = n<<8 | int(c)
	}
	return n
}

func (r *berReader) text() string { return string(r.take(0x04)) }

// ldapWire is a directory with an entry and a reference on each of two pages.
type ldapWire struct {
	value  string
	in     []byte
	list   []string
	cookie string // of the page before
	err    error
}

func (w *ldapWire) Hear(b []byte) (answers [][]byte) {
	w.in = append(w.in, b...)
	for w.err == nil && len(w.in) > 0 {
		all := &berReader{in: w.in}
		if all.any(); all.err != nil { // the message is incomplete
			return answers
		}
		m := &berReader{in: w.in[:len(w.in)-len(all.in)]}
		m.within(0x30, func(m *berReader) {
			id := ber(0x02, string(m.take(0x02)))
			for _, answer := range w.operation(m) {
				answers = append(answers, []byte(ber(0x30, id, answer)))
			}
		})
		w.in, w.err = all.in, m.err
	}
	return answers
}

func (w *ldapWire) Said() ([]string, error) {
	if w.err == nil && len(w.in) > 0 {
		return w.list, fmt.Errorf("got %q after all messages", w.in)
	}
	return w.list, w.err
}

func (w *ldapWire) operation(m *berReader) (answers []string) {
	result := func(code string) string { return ber(0x0a, code) + ber(0x04, w.value) + ber(0x04, w.value) }
	op := byte(0)
	if len(m.in) > 0 {
		op = m.in[0]
	}
	switch op {
	case 0x60:
		m.within(op, func(m *berReader) {
			version, name, password := m.number(), m.text(), m.take(0x80)
			w.list = append(w.list, fmt.Sprintf("bind %d %q %q", version, name, password))
		})
		return []string{ber(0x61, result("\x00"))}
	case 0x77:
		m.within(op, func(m *berReader) { w.list = append(w.list, fmt.Sprintf("extended %q", m.take(0x80))) })
		return []string{ber(0x78, result("\x02"))}
	case 0x63:
		return w.search(m)
	case 0x42, 0x50: // unbind, abandon: the end
		if in := m.take(op); len(in) > 4 {
			m.fail("got %q in an end", in)
		}
	default:
		m.fail("got the operation %#x", op)
	}
	return nil
}

func (w *ldapWire) search(m *berReader) []string {
	var words []string
	m.within(0x63, func(m *berReader) {
		base, scope, aliases := m.text(), m.take(0x0a), m.take(0x0a)
		if size, time := m.number(), m.number(); size+time > 0 {
			m.fail("got the limits %d and %d, want none", size, time)
		}
		if only := m.take(0x01); !bytes.Equal(only, []byte{0}) {
			m.fail("got typesOnly %x", only)
		}
		from := m.in
		m.any()
		filter := from[:len(from)-len(m.in)]
		words = append(words, base, hex.EncodeToString(scope)+hex.EncodeToString(aliases), hex.EncodeToString(filter))
		m.within(0x30, func(m *berReader) {
			for m.err == nil && len(m.in) > 0 {
				words = append(words, m.text())
			}
		})
	})
	page := 0
	m.within(0xa0, func(m *berReader) {
		m.within(0x30, func(m *berReader) {
			if oid := m.text(); oid != ldap.ControlTypePaging {
				m.fail("got the control %q", oid)
			}
			if len(m.in) > 0 && m.in[0] == 0x01 {
				m.any() // criticality
			}
			in := &berReader{in: m.take(0x04)}
			in.within(0x30, func(m *berReader) {
				page = m.number()
				if cookie := m.text(); cookie != w.cookie {
					m.fail("got the cookie %q, want %q", cookie, w.cookie)
				}
			})
			if in.err != nil {
				m.fail("%w", in.err)
			}
		})
	})
	w.list = append(w.list, fmt.Sprintf("search %q %d", words, page))
	if w.cookie == "" {
		w.cookie = w.value
	} else {
		w.cookie = ""
	}
	value := ber(0x04, w.value)
	paging := ber(0xa0, ber(0x30, ber(0x04, ldap.ControlTypePaging), ber(0x04, ber(0x30, ber(0x02, "\x00"), ber(0x04, w.cookie)))))
	return []string{ber(0x64, value, ber(0x30, ber(0x30, value, ber(0x31, value)))), ber(0x73, ber(0x04, "ldap://h.example/"+w.value)),
		ber(0x65, ber(0x0a, "\x00"), ber(0x04), value) + paging}
}

// wantLDAP returns a step in the form in which the server reports it. The searched word must be the whole assertion value.
func wantLDAP(s fetch.Step, p *fetch.Plan, value string) string {
	switch s.Verb {
	case "StartTLS":
		return `extended "1.3.6.1.4.1.1466.20037"`
	case "bind":
		if !s.Secret {
			return `bind 3 "" ""`
		}
		i := slices.IndexFunc(p.Steps, func(s fetch.Step) bool { return s.Verb == "bind" })
		return fmt.Sprintf("bind 3 %q %q", p.Steps[i].Args[0], p.Steps[i].Args[1])
	}
	filter, err := ldap.CompileFilter(s.Data)
	if err != nil {
		return "no filter: " + err.Error()
	}
	octets := filter.Bytes()
	if len(p.Options.Search) > 0 {
		short := func(tag byte, in ...byte) []byte { return append([]byte{tag, byte(len(in))}, in...) }
		if word := short(0x81, []byte(value)...); 0 < len(value) && len(value) < 50 {
			octets = short(0xa0, short(0xa4, slices.Concat(short(0x04, []byte("cn")...), short(0x30, word...))...)...)
		}
	}
	args, page, aliases := s.Args[2:], s.Args[len(s.Args)-1], "01"
	args = args[:len(args)-2]
	aliases = "02"
	if word := p.Options.Get(p.URI.Scheme() + ".aliases"); word != "" {
		aliases = map[string]string{"never": "00", "search": "01", "find": "02", "always": "03"}[word]
		args = args[:len(args)-2]
	}
	scope := map[string]string{"base": "00", "one": "01", "sub": "02"}[s.Args[1]]
	return fmt.Sprintf("search %q %s", append([]string{s.Args[0], scope + aliases, hex.EncodeToString(octets)}, args...), page)
}

// snmpWire is an agent with one object below each requested OID.
type snmpWire struct {
	value string
	asked int
	list  []string
	err   error
}

func (w *snmpWire) Said() ([]string, error) { return w.list, w.err }

const snmpEngine = "\x80\x00\x00\x00\x05"

// engine returns the agent's engine ID, which contains the value.
func (w *snmpWire) engine() string { return snmpEngine + w.value[:min(20, len(w.value))] }

func (w *snmpWire) Hear(datagram []byte) (answers [][]byte) {
	m := &berReader{in: datagram}
	m.within(0x30, func(m *berReader) {
		version := m.number()
		if version < 3 {
			community := m.text()
			pdu := w.pdu(m, community, nil)
			answers = append(answers, []byte(ber(0x30, ber(0x02, string([]byte{byte(version)})), ber(0x04, community), pdu)))
			return
		}
		id, user, context := "", "", []string(nil)
		m.within(0x30, func(m *berReader) { // msgGlobalData
			id = string(m.take(0x02))
			m.number()
			m.text()
			m.number()
		})
		report := false
		m.within(0x04, func(m *berReader) {
			m.within(0x30, func(m *berReader) {
				report = m.text() == ""
				m.number()
				m.number()
				user = m.text()
				m.text()
				m.text()
			})
		})
		pdu := ""
		m.within(0x30, func(m *berReader) {
			engine, name := m.text(), m.text()
			if name != "" {
				context = append(context, "context", name)
			}
			if engine != w.engine() && !report {
				context = append(context, "engine", hex.EncodeToString([]byte(engine)))
			}
			pdu = w.pdu(m, user, context)
		})
		if report {
			w.list[len(w.list)-1] = `"" GET ["<engine>"]`
			pdu = ber(0xa8, ber(0x02, id), ber(0x02, "\x00"), ber(0x02, "\x00"),
				ber(0x30, ber(0x30, ber(0x06, oidOctets("1.3.6.1.6.3.15.1.1.4.0")), ber(0x41, "\x01"))))
		}
		security := ber(0x30, ber(0x04, w.engine()), ber(0x02, "\x01"), ber(0x02, "\x01"), ber(0x04, user), ber(0x04), ber(0x04))
		answers = append(answers, []byte(ber(0x30, ber(0x02, "\x03"),
			ber(0x30, ber(0x02, id), ber(0x02, "\x00\xff\xff"), ber(0x04, "\x00"), ber(0x02, "\x03")), ber(0x04, security),
			ber(0x30, ber(0x04, w.engine()), ber(0x04, w.value), pdu))))
	})
	if m.err == nil && len(m.in) > 0 {
		m.fail("got %q behind the message", m.in)
	}
	w.err = errors.Join(w.err, m.err)
	return answers
}

// pdu records a request and returns the response.
func (w *snmpWire) pdu(m *berReader, who string, args []string) (answer string) {
	kind := byte(0)
	if len(m.in) > 0 {
		kind = m.in[0]
	}
	verb := map[byte]string{0xa0: "GET", 0xa1: "GETNEXT", 0xa5: "GETBULK"}[kind]
	if verb == "" {
		m.fail("got the PDU %#x", kind)
		return ""
	}
	m.within(kind, func(m *berReader) {
		id, never, most := string(m.take(0x02)), m.number(), m.number()
		if verb == "GETBULK" {
			args = append(args, "max", strconv.Itoa(most))
		}
		if never > 0 || verb != "GETBULK" && most > 0 {
			m.fail("got %d and %d in a %s", never, most, verb)
		}
		w.asked++
		objects, ends := "", ""
		m.within(0x30, func(m *berReader) {
			for m.err == nil && len(m.in) > 0 {
				m.within(0x30, func(m *berReader) {
					oid := string(m.take(0x06))
					if null := m.take(0x05); len(null) > 0 {
						m.fail("got the value %q in a request", null)
					}
					args = append(args, oidText(oid))
					if kind != 0xa0 {
						oid += "\x01"
					}
					if kind == 0xa1 && w.asked > 2 {
						oid = "\x88\x37"
					}
					objects += ber(0x30, ber(0x06, oid), ber(0x04, w.value))
					ends += ber(0x30, ber(0x06, "\x88\x37"), ber(0x04, w.value))
				})
			}
		})
		w.list = append(w.list, fmt.Sprintf("%q %s %q", who, verb, args))
		if kind == 0xa5 {
			objects += ends
		}
		answer = ber(0xa2, ber(0x02, id), ber(0x02, "\x00"), ber(0x02, "\x00"), ber(0x30, objects))
	})
	return answer
}

// oidText parses an OID: X.690 section 8.19.
func oidText(b string) string {
	var arcs []string
	n := 0
	for _, c := range []byte(b) {
		if n = n<<7 | int(c&0x7f); c >= 0x80 {
			continue
		}
		if len(arcs) == 0 {
			first := min(n/40, 2)
			arcs, n = append(arcs, strconv.Itoa(first)), n-40*first
		}
		arcs, n = append(arcs, strconv.Itoa(n)), 0
	}
	return strings.Join(arcs, ".")
}

// oidOctets writes an OID whose arcs are below 128.
func oidOctets(s string) string {
	b := []byte{0x2b}
	for _, a := range strings.Split(s, ".")[2:] {
		n, _ := strconv.Atoi(a)
		b = append(b, byte(n))
	}
	return string(b)
}

// wantSNMP returns a step with the community or user that is sent with it.
func wantSNMP(s fetch.Step, p *fetch.Plan, _ string) string {
	who := p.Options.Login.User
	switch {
	case s.Args[0] == "<engine>":
		who = ""
	case who == "" && p.Options.Get("snmp.version") == "3":
		who = "initial" // RFC 3414 appendix A
	case who == "":
		who = "public"
	}
	return fmt.Sprintf("%q %s %q", who, s.Verb, s.Args)
}
