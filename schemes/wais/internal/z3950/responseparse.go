package z3950

// Limits of a response. A frame of 100000 bytes cannot contain as many.
const (
	maxRecords = 20000
	maxTypes   = 100
)

// ParseResponse parses the response to a Search. Texts are parts of apdu.
func ParseResponse(apdu []byte) (*Response, error) {
	body, user, err := split(apdu, PDUSearchResponse, 10)
	if err != nil {
		return nil, err
	}
	r := &Response{Status: body[0], ResultSetStatus: -1, PresentStatus: -1}
	r.Returned, _ = fixed(body[4:], 3)
	if err := each(body[10:], r.fields().parse); err != nil {
		return nil, err
	}
	return r, userInformation(user, tagUserInformation, r.records)
}

// records parses the user information. Diagnostics have a form of their own.
func (r *Response) records(b []byte) error {
	for len(b) > 0 {
		if len(r.Hits)+len(r.Texts)+len(r.Diagnostics) > maxRecords {
			return malformed("more than %d records", maxRecords)
		}
		var err error
		if b[0] == tagDiagnostics {
			b, err = r.diagnostic(b[1:])
		} else {
			b, err = r.record(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Response) record(b []byte) (rest []byte, err error) {
	tag, v, rest, err := ReadElement(b)
	if err != nil {
		return nil, err
	}
	switch tag {
	case tagSeedWordsUsed:
		r.SeedWords = string(v)
	case groupHeader, groupShortHeader, groupLongHeader, groupHeadline, groupCode:
		h := NewHit()
		err = h.parse(v)
		r.Hits = append(r.Hits, h)
	case groupText:
		t := Text{Version: -1}
		err = each(v, t.element)
		r.Texts = append(r.Texts, t)
	}
	return rest, err
}

func (r *Response) diagnostic(b []byte) (rest []byte, err error) {
	if len(b) < 2 {
		return nil, Malformed("a diagnostic without a length")
	}
	n, b := fixed(b, 2)
	if n < 3 || n > len(b) {
		return nil, malformed("a diagnostic of %d bytes, with only %d left", n, len(b))
	}
	r.Diagnostics = append(r.Diagnostics, Diagnostic{Code: string(b[:2]), Text: string(b[2 : n-1]), Surrogate: b[n-1]})
	if b = b[n:]; len(b) > 0 && b[0] == diagnosticEnd {
		b = b[1:]
	}
	return b, nil
}

func (h *Hit) parse(b []byte) error {
	known := append(append(h.numbers(), h.texts()...), field{tagDocumentID, &h.DocID})
	return each(b, func(tag int, v []byte) error {
		if tag == tagTypeBlock {
			return each(v, h.addType)
		}
		return known.parse(tag, v)
	})
}

func (h *Hit) addType(tag int, v []byte) error {
	if tag != tagType {
		return nil
	}
	if len(h.Types) == maxTypes {
		return malformed("more than %d types of one document", maxTypes)
	}
	h.Types = append(h.Types, string(v))
	return nil
}

func (t *Text) element(tag int, v []byte) (err error) {
	switch tag {
	case tagDocumentID:
		t.DocID = string(v)
	case tagDocVersion:
		t.Version, err = number(tag, v)
	case tagDocumentText:
		t.Text = v
	}
	return err
}
