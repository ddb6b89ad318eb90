package wais

import (
	"bytes"
	"testing"

	"example.org/deref/schemes/wais/internal/z3950"
)

// rewrite reads an APDU and writes it again.
func rewrite(apdu []byte) ([]byte, error) {
	pdu, _, _, err := z3950.Split(apdu)
	if err != nil {
		return nil, err
	}
	switch pdu {
	case z3950.PDUInit:
		m, err := z3950.ParseInit(apdu)
		if err != nil {
			return nil, err
		}
		return m.AppendInit(nil), nil
	case z3950.PDUInitResponse:
		m, err := z3950.ParseInitResponse(apdu)
		if err != nil {
			return nil, err
		}
		return m.AppendInitResponse(nil), nil
	case z3950.PDUSearch:
		m, err := z3950.ParseSearch(apdu)
		if err != nil {
			return nil, err
		}
		return m.Append(nil), nil
	case z3950.PDUSearchResponse:
		m, err := z3950.ParseResponse(apdu)
		if err != nil {
			return nil, err
		}
		return m.Append(nil), nil
	}
	return apdu, nil
}

// TestZ3950Traces checks that the output of real programs is parsed, and encoded again byte for byte, headers included.
func TestZ3950Traces(t *testing.T) {
	for _, name := range traceNames(t) {
		for _, side := range []string{clientSide, serverSide} {
			var all []byte
			for i, apdu := range traceAPDUs(t, name, side) {
				got, err := apdu, error(nil)
				if len(apdu) > 0 {
					got, err = rewrite(apdu)
				}
				if err != nil || !bytes.Equal(got, apdu) {
					t.Errorf("%s %s frame %d: got %v\n%q, want\n%q", name, side, i, err, got, apdu)
				}
				all = append(all, z3950.Frame(got)...)
			}
			if !bytes.Equal(all, traceOctets(t, name, side)) {
				t.Errorf("%s %s: the headers differ from the trace", name, side)
			}
		}
	}
}

// FuzzZ3950APDU checks that a parsed APDU can be encoded and parsed again with the same result, and that nothing panics.
func FuzzZ3950APDU(f *testing.F) {
	for _, name := range []string{"search-help", "search-multi", "feedback-lines", "retrieve-lines", "range-partly-out", "search-missing-db"} {
		for _, side := range []string{clientSide, serverSide} {
			for _, apdu := range traceAPDUs(f, name, side) {
				f.Add(apdu)
			}
		}
	}
	f.Fuzz(func(t *testing.T, apdu []byte) {
		once, err := rewrite(apdu)
		if err != nil {
			return
		}
		twice, err := rewrite(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q\nwas written as\n%q\nand then as\n%q, %v", apdu, once, twice, err)
		}
	})
}

// FuzzZ3950Frames checks that frames do not depend on how the input is split.
func FuzzZ3950Frames(f *testing.F) {
	f.Add(traceOctets(f, "search-help", serverSide), uint8(7))
	f.Add(append([]byte("Welcome\r\n"), traceOctets(f, "present", serverSide)...), uint8(1))
	f.Add([]byte("0000000003z2wais       u0abc"), uint8(30))
	f.Add([]byte("9999999999z2wais        0"), uint8(3))
	f.Fuzz(func(t *testing.T, octets []byte, piece uint8) {
		whole, err := readAll(bytes.NewReader(octets))
		pieces, err2 := readAll(&slow{octets, int(piece) + 1})
		if whole != pieces || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("in pieces: got\n%q, %v\nwant\n%q, %v", pieces, err2, whole, err)
		}
	})
}

// FuzzZ3950DocID checks that tokens and bytes parse to the same DocID.
func FuzzZ3950DocID(f *testing.F) {
	f.Add("\x01\x0flocalhost:21010\x02\x07db/demo\x03\x140 148 docs/tides.txt\x07\x01\x00")
	f.Fuzz(func(t *testing.T, octets string) {
		id, err := z3950.ParseDocID(octets)
		if err != nil {
			return
		}
		again, err := z3950.ParseDocID(id.String())
		if err != nil || again.Tokens() != id.Tokens() || len(again) != len(id) {
			t.Fatalf("%q: got %v, %v, want %v", octets, again, err, id)
		}
	})
}
