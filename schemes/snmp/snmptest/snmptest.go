// Package snmptest is an SNMP agent (versions 1 and 2c, RFC 3416) on the loopback interface, for tests of clients and for `deref
// serve`. It serves any fs.FS as a database, and objects of its own:
//
//	srv := snmptest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "snmp://public@127.0.0.1:PORT"
//
// A file is an octet string. Its OID is that of Files followed by the bytes of its path: OID("a/b") is 1.3.6.1.4.1.32473.1.97.47.98. Files of
// more than 60000 bytes, and paths of more than 100, are omitted.
package snmptest

import (
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/frames"
	"github.com/gosnmp/gosnmp"
)

// Files is the OID above all files. RFC 5612 reserves this enterprise number for examples.
const Files = "1.3.6.1.4.1.32473.1"

const (
	maxFile   = 60000
	maxPath   = 100
	maxAnswer = 65000 // of one datagram
)

// OID returns the OID of a file.
func OID(path string) string {
	oid := Files
	for _, c := range []byte(path) {
		oid += "." + strconv.Itoa(int(c))
	}
	return oid
}

// Options configure an agent. A nil *Options means the zero Options.
type Options struct {
	Addr      string           // where to listen; empty means a free port of 127.0.0.1
	Community string           // the accepted one; empty means public
	Objects   []gosnmp.SnmpPDU // besides the files; names without a dot at the beginning
	Most      int              // objects in one response, more is tooBig; 0 means no limit
	Circle    bool             // a walk returns to its beginning
	Drop      int              // only the last of so many datagrams gets a response
}

// A server is a running agent. Its Transcript is the PDUs in words: "GetRequest 1.3.6.1.2.1.1.5.0".
type server struct {
	loopback.Server

	o       Options
	objects []gosnmp.SnmpPDU // in order
	count   int              // datagrams received
}

// NewServer starts an agent of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts an agent of the files in fsys. It reads them once.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{o: loopback.Given(o)}
	if s.o.Community == "" {
		s.o.Community = "public"
	}
	s.objects = append(slices.Clone(s.o.Objects), files(fsys)...)
	slices.SortFunc(s.objects, func(a, b gosnmp.SnmpPDU) int { return frames.CompareOID(a.Name, b.Name) })
	started, err := loopback.StartPackets(s, "snmp", s.o.Addr, s.receive)
	if err == nil {
		s.URL = "snmp://" + s.o.Community + "@" + s.Addr
	}
	return started, err
}

func files(fsys fs.FS) (list []gosnmp.SnmpPDU) {
	if fsys == nil {
		return nil
	}
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(name) > maxPath {
			return nil
		}
		if b, err := loopback.ReadFile(fsys, name); err == nil && len(b) <= maxFile {
			list = append(list, gosnmp.SnmpPDU{Name: OID(name), Type: gosnmp.OctetString, Value: b})
		}
		return nil
	})
	return list
}

func (s *server) receive(_ net.Addr, datagram []byte, reply func([]byte)) {
	request, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c}).SnmpDecodePacket(datagram)
	s.count++
	if err != nil || request.Version == gosnmp.Version3 || request.Community != s.o.Community {
		return
	}
	s.note(request)
	if s.o.Drop > 0 && s.count%s.o.Drop != 0 {
		return
	}
	if !answers(request) {
		return
	}
	if answer, err := s.answer(request).MarshalMsg(); err == nil {
		reply(answer)
	}
}

func (s *server) note(request *gosnmp.SnmpPacket) {
	line := fmt.Sprint(request.PDUType)
	for _, v := range request.Variables {
		line += " " + strings.TrimPrefix(v.Name, ".")
	}
	s.Net.Note(line)
}

// answers reports whether a PDU is one that an agent responds to: not a trap, nor another agent's response.
func answers(p *gosnmp.SnmpPacket) bool {
	switch p.PDUType {
	case gosnmp.GetRequest, gosnmp.GetNextRequest, gosnmp.SetRequest:
		return true
	case gosnmp.GetBulkRequest:
		return p.Version != gosnmp.Version1
	}
	return false
}

// answer returns the response: RFC 3416 section 4.2.
func (s *server) answer(request *gosnmp.SnmpPacket) *gosnmp.SnmpPacket {
	out := &gosnmp.SnmpPacket{Version: request.Version, Community: request.Community, PDUType: gosnmp.GetResponse, RequestID: request.RequestID}
	n := len(request.Variables)
	once, rows := 0, 1 // the non-repeaters
	switch request.PDUType {
	case gosnmp.SetRequest: // everything is read-only: RFC 3416 section 4.2.5, RFC 1157 section 4.1.5
		if request.Version == gosnmp.Version1 {
			return refuse(out, request, gosnmp.NoSuchName, 1)
		}
		return refuse(out, request, gosnmp.NotWritable, 1)
	case gosnmp.GetBulkRequest:
		once, rows = min(n, int(request.NonRepeaters)), int(min(request.MaxRepetitions, 1000))
		if s.o.Most > 0 && rows > s.o.Most {
			return refuse(out, request, gosnmp.TooBig, 0)
		}
	}
	at := make([]string, n)
	for i, v := range request.Variables {
		at[i] = strings.TrimPrefix(v.Name, ".")
	}
	size := 0
	for row := range max(rows, min(once, 1)) {
		from, to := once, n
		if row == 0 {
			from = 0
			if rows == 0 {
				to = once
			}
		}
		for i := from; i < to; i++ {
			found := s.next(at[i])
			if request.PDUType == gosnmp.GetRequest {
				found = s.get(at[i])
			}
			if request.Version == gosnmp.Version1 && (found.Type == gosnmp.EndOfMibView || found.Type == gosnmp.NoSuchObject) {
				return refuse(out, request, gosnmp.NoSuchName, uint8(i+1))
			}
			b, _ := found.Value.([]byte)
			if size += len(b) + 2*len(found.Name); row > 0 && size > maxAnswer {
				return out
			}
			at[i] = found.Name
			out.Variables = append(out.Variables, found)
		}
	}
	return out
}

func refuse(out, request *gosnmp.SnmpPacket, status gosnmp.SNMPError, index uint8) *gosnmp.SnmpPacket {
	out.Error, out.ErrorIndex, out.Variables = status, index, request.Variables
	return out
}

func (s *server) get(oid string) gosnmp.SnmpPDU {
	for _, o := range s.objects {
		if o.Name == oid {
			return o
		}
	}
	return gosnmp.SnmpPDU{Name: oid, Type: gosnmp.NoSuchObject}
}

func (s *server) next(oid string) gosnmp.SnmpPDU {
	for _, o := range s.objects {
		if frames.CompareOID(o.Name, oid) > 0 {
			return o
		}
	}
	if s.o.Circle && len(s.objects) > 0 {
		return s.objects[0]
	}
	return gosnmp.SnmpPDU{Name: oid, Type: gosnmp.EndOfMibView}
}
