package charset

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"example.org/deref/uri"
)

// Query returns the function that encodes queries in a document with that label (URL Standard section 1.3, percent-encode after encoding): each
// character beyond ASCII becomes its bytes in that encoding, escaped. A character without such bytes becomes "&#N;", escaped. ASCII, including
// existing escapes, stays unchanged. Query returns nil if queries are UTF-8: with UTF-8, UTF-16, and labels that Lookup or browsers do not know.
func Query(label string) func(text string) string {
	e := outputEncoding(folded(label))
	if e == nil {
		return nil
	}
	return func(text string) string { return queryIn(e, text) }
}

// outputEncoding returns the encoding of forms and queries in documents with a label (Encoding Standard section 4.3).
func outputEncoding(label string) encoding.Encoding {
	e := Lookup(label)
	switch {
	case IsWide(label) && e != japanese.ISO2022JP:
		return nil
	case e == simplifiedchinese.GB18030 && label != "gb18030":
		return simplifiedchinese.GBK // section 10.1.2: it has no characters of four bytes
	}
	return e
}

func queryIn(e encoding.Encoding, text string) string {
	var out strings.Builder
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] < utf8.RuneSelf {
			n++
		}
		out.WriteString(text[:n])
		text = text[n:]
		for n = 0; n < len(text) && text[n] >= utf8.RuneSelf; {
			n++
		}
		out.WriteString(escapedIn(e, text[:n]))
		text = text[n:]
	}
	return out.String()
}

// kept are the characters of an encoded query that stay unescaped, besides letters and digits.
//
// QUIRK: browsers also leave "%", "\" and other bytes of encoded characters unescaped (URL Standard section 1.3), which is not a URI by RFC 3986
// section 3.4. Servers decode both forms to the same bytes.
const kept = "-._~!$&()*+,;=:@/?"

// escapedIn returns s, which has no ASCII, in the encoding. A stateful encoding ends in its initial state.
func escapedIn(e encoding.Encoding, s string) string {
	if b, err := e.NewEncoder().String(s); err == nil && utf8.ValidString(s) {
		return uri.EscapeBut(b, kept)
	}
	var out strings.Builder
	for i, r := range s {
		b, err := e.NewEncoder().String(string(r))
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = s[i : i+1] // not text: the byte of the document
		case err != nil:
			b = ""
			out.WriteString(fmt.Sprintf("%%26%%23%d%%3B", r))
		}
		out.WriteString(uri.EscapeBut(b, kept))
	}
	return out.String()
}
