package z3950

// An Init begins a session, or is the response to that.
type Init struct {
	Accepted                   bool // in a response
	Options                    byte // bit 0 (80) search, bit 1 (40) present, ...
	PreferredSize, MaximumSize int
	Authentication             string // in a request
	ID, Name, Version          string // of the implementation
	ReferenceID                string
}

// CanSearch is the option of Init for searches.
const CanSearch = 0x80

// AppendInit appends the request. It has no user information, which older servers reject.
func (m *Init) AppendInit(b []byte) []byte {
	return finish(b, PDUInit, m.appendElements(nil), nil)
}

// AppendInitResponse appends the response.
func (m *Init) AppendInitResponse(b []byte) []byte {
	result := byte(0)
	if m.Accepted {
		result = 1
	}
	chunks := appendNumber(appendNumber(nil, tagChunkCode, 0), tagChunkIDLength, 0)
	return finish(b, PDUInitResponse, m.appendElements([]byte{result}), AppendElement(nil, tagUserInformation, chunks))
}

func (m *Init) appendElements(b []byte) []byte {
	b = AppendElement(b, tagProtocolVersion, "\x80")
	return m.fields().append(AppendElement(b, tagOptions, []byte{m.Options}))
}

func (m *Init) fields() fields {
	return fields{
		{tagPreferredSize, &m.PreferredSize}, {tagMaximumSize, &m.MaximumSize}, {tagAuthentication, &m.Authentication},
		{tagImplementation, &m.ID}, {tagName, &m.Name}, {tagVersion, &m.Version}, {tagReferenceID, &m.ReferenceID},
	}
}

// appendText appends a text that is not empty.
func appendText(b []byte, tag int, text string) []byte {
	if text == "" {
		return b
	}
	return AppendElement(b, tag, text)
}

// ParseInit parses the request.
func ParseInit(apdu []byte) (*Init, error) {
	body, _, err := split(apdu, PDUInit, 0)
	if err != nil {
		return nil, err
	}
	m := &Init{}
	return m, each(body, m.element)
}

// ParseInitResponse parses the response.
func ParseInitResponse(apdu []byte) (*Init, error) {
	body, _, err := split(apdu, PDUInitResponse, 1)
	if err != nil {
		return nil, err
	}
	m := &Init{Accepted: body[0] != 0}
	return m, each(body[1:], m.element)
}

func (m *Init) element(tag int, v []byte) error {
	if tag == tagOptions && len(v) > 0 {
		m.Options = v[0]
	}
	return m.fields().parse(tag, v)
}
