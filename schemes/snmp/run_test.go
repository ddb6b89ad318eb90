package snmp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

func agentOf(t testing.TB, o *snmptest.Options) *loopback.Server {
	t.Helper()
	if o == nil {
		o = &snmptest.Options{}
	}
	object := func(name string, kind gosnmp.Asn1BER, v any) gosnmp.SnmpPDU {
		return gosnmp.SnmpPDU{Name: name, Type: kind, Value: v}
	}
	o.Objects = append(o.Objects,
		object("1.3.6.1.2.1.1.2.0", gosnmp.ObjectIdentifier, "1.3.6.1.4.1.32473.128.16384"),
		object("1.3.6.1.2.1.1.3.0", gosnmp.TimeTicks, uint32(360000+6000+212)),
		object("1.3.6.1.2.1.1.5.0", gosnmp.OctetString, []byte("lab.test")),
		object("1.3.6.1.2.1.2.2.1.2.1", gosnmp.OctetString, []byte("lo")),
		object("1.3.6.1.2.1.2.2.1.2.2", gosnmp.OctetString, []byte("eth0")),
		object("1.3.6.1.2.1.2.2.1.6.2", gosnmp.OctetString, []byte{0, 0x1a, 0xff}),
		object("1.3.6.1.2.1.2.2.1.8.1", gosnmp.Integer, 1),
		object("1.3.6.1.2.1.2.2.1.8.2", gosnmp.Integer, 2),
		object("1.3.6.1.2.1.2.2.1.8.10", gosnmp.Integer, -42),
		object("1.3.6.1.2.1.31.1.1.1.6.1", gosnmp.Counter64, uint64(1<<63)),
	)
	s := snmptest.NewServer(fstest.MapFS{"a/b.bin": {Data: []byte("\x00\xff\r\n")}, "long.txt": {Data: []byte(strings.Repeat("x", 50000))}}, o)
	t.Cleanup(s.Close)
	return s
}

// inBubble dereferences s in a bubble of testing/synctest, where retries take no time. The agent in memory is answer.
func inBubble(t *testing.T, answer func(datagram []byte, reply func([]byte)), s string) (body string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(Scheme())
		defer c.Close()
		c.Datagrams = fetchtest.Datagrams(answer)
		_, body, err = fetchtest.GetWith(t, c, s, nil)
	})
	return body, err
}

func get(t testing.TB, s string, o *fetch.Options) (d *fetch.Document, body string, titles []string, err error) {
	t.Helper()
	c := fetch.New(Scheme())
	defer c.Close()
	c.Timeouts.Idle = 3 * time.Second
	if d, err = c.Get(t.Context(), uri.MustParse(s), o); err != nil {
		return nil, "", nil, err
	}
	defer d.Body.Close()
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		return d, string(b), nil, err
	}
	for e, err := range d.Entries {
		if err != nil {
			return d, "", titles, err
		}
		titles = append(titles, e.Title)
	}
	return d, "", titles, nil
}

func set(pairs ...string) *fetch.Options {
	o := &fetch.Options{Set: map[string][]string{}}
	for i := 0; i < len(pairs); i += 2 {
		o.Set[pairs[i]] = []string{pairs[i+1]}
	}
	return o
}

func TestObjects(t *testing.T) {
	srv := agentOf(t, nil)
	for path, want := range map[string]string{
		"//1.3.6.1.2.1.1.5.0":             "lab.test",
		"/1.3.6.1.2.1.1.5.0":              "lab.test",
		"//sysName.0":                     "lab.test",
		"//1.3.6.1.2.1.1.3.0":             "366212\n",
		"//1.3.6.1.2.1.1.2.0":             "1.3.6.1.4.1.32473.128.16384\n",
		"//ifOperStatus.10":               "-42\n",
		"//ifHCInOctets.1":                "9223372036854775808\n",
		"//" + snmptest.OID("a/b.bin"):    "\x00\xff\r\n",
		"//" + snmptest.OID("long.txt"):   strings.Repeat("x", 50000),
		"//" + snmptest.OID("nobody.txt"): "notfound",
		"//1.3.6.1.9.9.+":                 "refused-url",
		"//2.9.+":                         "refused-url",
		"//2.9+":                          "notfound",
		"//2.9.*":                         "notfound",
	} {
		for _, version := range []string{"1", "2c"} {
			d, body, _, err := get(t, srv.URL+path, set("snmp.version", version))
			if err != nil {
				body = string(fetch.KindOf(err))
			} else if d.Size != int64(len(body)) || d.Type == "" {
				t.Errorf("%s: got size %d, type %q, want %d and a type", path, d.Size, d.Type, len(body))
			}
			if body != want {
				t.Errorf("%s in version %s: got %.60q, %v, want %.60q", path, version, body, err, want)
			}
		}
	}
}

func TestWalks(t *testing.T) {
	srv := agentOf(t, nil)
	status := []string{"ifOperStatus.1 = INTEGER: up(1)", "ifOperStatus.2 = INTEGER: down(2)", "ifOperStatus.10 = INTEGER: -42"}
	for path, want := range map[string][]string{
		"": {"sysObjectID.0 = OBJECT IDENTIFIER: enterprises.32473.128.16384", "sysUpTime.0 = TimeTicks: (366212) 1:01:02.12",
			"sysName.0 = OCTET STRING: lab.test"},
		"//ifOperStatus.*":        status,
		"//1.3.6.1.2.1.2.2.1.8.*": status,
		"//ifPhysAddress+":        {"ifPhysAddress.2 = OCTET STRING: 00 1a ff"},
		"//(ifDescr,ifPhysAddress).*": {"ifDescr.1 = OCTET STRING: lo", "ifPhysAddress.2 = OCTET STRING: 00 1a ff",
			"ifDescr.2 = OCTET STRING: eth0"},
		"//(sysName.0,ifDescr.1)":              {"sysName.0 = OCTET STRING: lab.test", "ifDescr.1 = OCTET STRING: lo"},
		"//(ifDescr.1,1.3.6.1.2.1.2.2.1.2.8)+": {"ifDescr.2 = OCTET STRING: eth0", "ifPhysAddress.2 = OCTET STRING: 00 1a ff"},
		"//(ifDescr.9,sysName.0)":              {"ifDescr.9 = noSuchObject", "sysName.0 = OCTET STRING: lab.test"},
		"//(sysName,2.9)+":                     {"sysName.0 = OCTET STRING: lab.test", "2.9 = endOfMibView"},
	} {
		for _, o := range []*fetch.Options{set("snmp.version", "1"), set(), set("snmp.bulk", "1"), set("snmp.bulk", "2")} {
			if o.Get("snmp.version") == "1" && strings.Contains(path, ".9") {
				continue // one error is the response to all objects
			}
			_, _, got, err := get(t, srv.URL+path, o)
			if !reflect.DeepEqual(got, want) || err != nil {
				t.Errorf("%s %v: got %q, %v, want %q", path, o.Set, got, err, want)
			}
		}
	}
}

// TestEntryURIs checks that the URI of an entry retrieves its object and does not contain the community.
func TestEntryURIs(t *testing.T) {
	srv := agentOf(t, &snmptest.Options{Community: "s3cr3t"})
	c := fetch.New(Scheme())
	defer c.Close()
	trace, mu := "", sync.Mutex{}
	o := &fetch.Options{Trace: func(e fetch.Event) {
		mu.Lock()
		defer mu.Unlock()
		trace += fmt.Sprintf("%s %q\n", e.Note, e.Data)
		if e.Step != nil {
			trace += e.Step.Line() + "\n"
		}
	}}
	n := 0
	for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+"//1.3.6.1.2.1.*"), o) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if strings.Contains(fmt.Sprintf("%v", e), "s3cr3t") {
			t.Errorf("got %v, want no community", e)
		}
		back, err := c.Get(t.Context(), e.URI, &fetch.Options{Login: fetch.Login{User: "s3cr3t", Set: true}})
		if err != nil {
			t.Fatalf("%s: %v", e.URI, err)
		}
		b, _ := io.ReadAll(back.Body)
		back.Body.Close()
		if strings.TrimSuffix(string(b), "\n") != e.Attr["value"][0] {
			t.Errorf("%s: got %q, want %q", e.URI, b, e.Attr["value"])
		}
	}
	if n != 10 {
		t.Errorf("got %d objects, want 10", n)
	}
	if strings.Contains(trace, "s3cr3t") || !strings.Contains(trace, "GETBULK") {
		t.Errorf("got trace %s, want GETBULK and no community", trace)
	}
}

func TestFaults(t *testing.T) {
	t.Run("a circle", func(t *testing.T) {
		_, _, got, err := get(t, agentOf(t, &snmptest.Options{Circle: true}).URL+"//1.3.6.1.*", nil)
		if fetch.KindOf(err) != fetch.ErrProtocol || len(got) != 12 {
			t.Errorf("got %d objects, %v, want 12, kind %s", len(got), err, fetch.ErrProtocol)
		}
	})
	t.Run("tooBig", func(t *testing.T) {
		if _, _, got, err := get(t, agentOf(t, &snmptest.Options{Most: 3}).URL+"//ifOperStatus.*", nil); len(got) != 3 || err != nil {
			t.Errorf("got %q, %v, want 3 objects", got, err)
		}
	})
	t.Run("a lost datagram", func(t *testing.T) {
		lossy := agentOf(t, &snmptest.Options{Drop: 2})
		body, err := inBubble(t, lossy.Net.Answer, lossy.URL+"//sysName.0")
		if body != "lab.test" || err != nil || len(lossy.Transcript()) != 2 {
			t.Errorf("got %q, %v, requests %q, want lab.test, 2 requests", body, err, lossy.Transcript())
		}
	})
	t.Run("a response that is cut after its first object", func(t *testing.T) { // RFC 3416 section 4.2.3
		srv := agentOf(t, nil)
		body, err := inBubble(t, func(b []byte, reply func([]byte)) {
			srv.Net.Answer(b, func(whole []byte) {
				r, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c}).SnmpDecodePacket(whole)
				if err != nil {
					t.Error(err)
				}
				r.Variables = r.Variables[:1]
				cut, _ := r.MarshalMsg()
				reply(cut)
			})
		}, srv.URL+"//(ifDescr,ifOperStatus).*")
		if strings.Count(body, `"title":"if`) != 5 || err != nil {
			t.Errorf("got %q, %v, want 5 objects", body, err)
		}
	})
	t.Run("a wrong community", func(t *testing.T) {
		if _, err := inBubble(t, agentOf(t, nil).Net.Answer, "snmp://wrong@127.0.0.1//sysName.0"); fetch.KindOf(err) != fetch.ErrTimeout {
			t.Errorf("got %v, want kind %s", err, fetch.ErrTimeout)
		}
	})
}

// TestOddAnswers checks that a datagram that is not a response is ignored, and that a later response counts.
func TestOddAnswers(t *testing.T) {
	for name, odd := range map[string]func(request *gosnmp.SnmpPacket) []byte{
		"octets":  func(*gosnmp.SnmpPacket) []byte { return []byte("HTTP/1.1 400\r\n") },
		"nested":  func(*gosnmp.SnmpPacket) []byte { return []byte(strings.Repeat("0\x82\x3e\x80", 4000)) },
		"void":    func(*gosnmp.SnmpPacket) []byte { return nil },
		"request": func(r *gosnmp.SnmpPacket) []byte { r.PDUType = gosnmp.GetRequest; b, _ := r.MarshalMsg(); return b },
		"version": func(r *gosnmp.SnmpPacket) []byte { return []byte("0\x04\x02\x01\x03\x05") },
		"id": func(r *gosnmp.SnmpPacket) []byte {
			r.PDUType = gosnmp.GetResponse
			r.RequestID++
			b, _ := r.MarshalMsg()
			return b
		},
	} {
		for _, then := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, then a good one %v", name, then), func(t *testing.T) {
				body, err := inBubble(t, func(b []byte, reply func([]byte)) {
					r, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c}).SnmpDecodePacket(b)
					if err != nil {
						return
					}
					id := r.RequestID
					reply(odd(r))
					if then {
						r.PDUType, r.RequestID = gosnmp.GetResponse, id
						r.Variables = []gosnmp.SnmpPDU{{Name: "1.3.6.1.2.1.1.5.0", Type: gosnmp.OctetString, Value: []byte("true")}}
						good, _ := r.MarshalMsg()
						reply(good)
					}
				}, "snmp://127.0.0.1//1.3.6.1.2.1.1.5.0")
				switch {
				case then && err != nil, !then && fetch.KindOf(err) != fetch.ErrProtocol:
					t.Errorf("got %v", err)
				case then && body != "true":
					t.Errorf("got %q, want true", body)
				}
			})
		}
	}
}

// TestSnmpd compares with net-snmp's snmpwalk, in all versions.
func TestSnmpd(t *testing.T) {
	addr := lab.Server(t, "snmpd")
	file := filepath.Join(t.TempDir(), "priv")
	if err := os.WriteFile(file, []byte("labprivpass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v3 := set("snmp.version", "3", "snmp.priv-password-file", file)
	v3.Login = fetch.Login{User: "labuser", Password: "labpassword", Set: true}
	for _, tt := range []struct {
		o    *fetch.Options
		args []string
	}{
		{set("snmp.version", "1"), []string{"-v1", "-c", "public"}},
		{set(), []string{"-v2c", "-c", "public"}},
		{v3, []string{"-v3", "-l", "authPriv", "-u", "labuser", "-a", "SHA", "-A", "labpassword", "-x", "AES", "-X", "labprivpass"}},
	} {
		for _, root := range []string{"1.3.6.1.2.1.1", "1.3.6.1.2.1.2.2.1.2", "1.3.6.1.4.1.99999.1"} {
			out, err := lab.Client(t, "snmpwalk", append(tt.args, "-On", "-OQ", "-m", "", addr, root)...).Output()
			if err != nil {
				t.Fatalf("%v: %v", tt.args, err)
			}
			want := []string{}
			for line := range strings.Lines(string(out)) {
				if oid, _, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(oid, ".") {
					want = append(want, oid[1:])
				}
			}
			c := fetch.New(Scheme())
			got := []string{}
			for e, err := range c.Entries(t.Context(), uri.MustParse("snmp://"+addr+"//"+root+".*"), tt.o) {
				if err != nil {
					t.Errorf("%v %s: %v", tt.args[0], root, err)
					break
				}
				got = append(got, e.Attr["oid"][0])
			}
			c.Close()
			if !reflect.DeepEqual(got, want) || len(got) == 0 {
				t.Errorf("%v %s: got %d objects, want snmpwalk's %d", tt.args[0], root, len(got), len(want))
			}
		}
	}
	for path, want := range map[string]string{
		"//1.3.6.1.4.1.99999.1.1.0": "a string", "//1.3.6.1.4.1.99999.1.2.0": "-42\n", "//1.3.6.1.4.1.99999.1.3.0": "4294967295\n",
		"//1.3.6.1.4.1.99999.1.4.0": "1.3.6.1.4.1.99999.128.16384\n", "//sysName.0": "lab.test", "//1.3.6.1.4.1.99999.1.9.0": "",
	} {
		if _, body, _, err := get(t, "snmp://"+addr+path, nil); body != want || (want == "") != (fetch.KindOf(err) == fetch.ErrNotFound) {
			t.Errorf("%s: got %q, %v, want %q", path, body, err, want)
		}
	}
	for _, wrong := range []*fetch.Options{
		{Set: v3.Set, Login: fetch.Login{User: "labuser", Password: "wrongpassword", Set: true}},
		{Set: v3.Set, Login: fetch.Login{User: "nobody", Password: "labpassword", Set: true}},
		{Set: set("snmp.version", "3").Set, Login: v3.Login}, // the user may only read in private
		{Set: set("snmp.version", "3", "snmp.priv-password", "short").Set, Login: v3.Login},
	} {
		_, _, _, err := get(t, "snmp://"+addr+"//sysName.0", wrong)
		if k := fetch.KindOf(err); k != fetch.ErrAuth && k != fetch.ErrRefused {
			t.Errorf("%s: got %v, want kind auth or refused", wrong.Login.User, err)
		}
	}
}

// FuzzDecode checks that an accepted response belongs to the request, and is signed if it must be.
func FuzzDecode(f *testing.F) {
	sample := gosnmp.SnmpPacket{Version: gosnmp.Version2c, Community: "c", PDUType: gosnmp.GetResponse, RequestID: 7,
		Variables: []gosnmp.SnmpPDU{{Name: "1.3.6.1", Type: gosnmp.OctetString, Value: []byte("x")}}}
	b, err := sample.MarshalMsg()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("0\x82\x00\x04\x02\x01\x03\x30"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if at, digest := digestOf(b); digest != nil && string(b[at:at+len(digest)]) != string(digest) {
			t.Fatalf("the digest of %q is not at %d", b, at)
		}
		a := &agent{request: &request{pdu: gosnmp.GetNextRequest, walks: true}, id: 7, code: &gosnmp.GoSNMP{Version: gosnmp.Version2c}}
		r, err := a.decode(b)
		if err != nil {
			return
		}
		if r.RequestID != 7 || r.PDUType != gosnmp.GetResponse {
			t.Fatalf("%q is accepted as a response", b)
		}
		w := &walk{agent: a, roots: []string{"1.3"}, at: []string{"1.3"}}
		before := ""
		if w.add(r.Variables) != nil {
			return
		}
		for _, pdu := range w.found {
			if before != "" && frames.CompareOID(pdu.Name, before) <= 0 || !within(pdu.Name, "1.3") {
				t.Fatalf("%q: got %s after %s, want ascending OIDs below 1.3", b, pdu.Name, before)
			}
			before = pdu.Name
			w.entry(pdu)
		}
	})
}

// FuzzNames checks that a name converts back to its OID.
func FuzzNames(f *testing.F) {
	f.Add("1.3.6.1.2.1.2.2.1.2.1")
	f.Add("1.3.6.1.2.1.22")
	f.Fuzz(func(t *testing.T, oid string) {
		if isOID(oid) && numberOf(nameOf(oid)) != oid {
			t.Fatalf("numberOf(%q) = %s, want %s", nameOf(oid), numberOf(nameOf(oid)), oid)
		}
	})
}
