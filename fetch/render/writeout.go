package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A WriteOut is a template of text about a result, in curl's syntax: %{name} is a variable, %header{name} a field of the server's header, and %% a
// percent sign. \n, \r, \t and \\ are escapes as in C. Any other percent sign or backslash stands for itself. After %{stderr} the text goes to
// standard error, after %{stdout} to standard output again, and after %{onerror} it is written only for a failure.
type WriteOut struct {
	Errors io.Writer // receives what follows %{stderr}; nil discards it

	parts   []part
	unknown []string
}

// Unknown returns the names of variables that do not exist. Their values are empty.
func (w *WriteOut) Unknown() []string { return w.unknown }

// A part is a text, a variable, or a field of the header.
type part struct{ text, variable, field string }

// fieldMark begins a field of the header.
const fieldMark = "%header{"

// ParseWriteOut parses a template. Variables are those of Variables and of more; others are reported by Unknown.
func ParseWriteOut(s string, more ...string) (*WriteOut, error) {
	w := &WriteOut{}
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		two := s[i:min(i+2, len(s))]
		switch {
		case strings.HasPrefix(s[i:], fieldMark):
			name, _, ok := strings.Cut(s[i+len(fieldMark):], "}")
			if !ok || name == "" {
				return nil, fmt.Errorf("%q must be %%header{name}", s[i:])
			}
			w.parts = append(w.parts, part{text: text.String()}, part{field: name})
			text.Reset()
			i += len(fieldMark) + len(name)
		case two == "%{":
			name, _, ok := strings.Cut(s[i+2:], "}")
			if !ok {
				return nil, fmt.Errorf("no closing brace: %q", s[i:])
			}
			if !slices.Contains(more, name) && !slices.Contains(Variables(), name) && !slices.Contains(w.unknown, name) {
				w.unknown = append(w.unknown, name)
			}
			w.parts = append(w.parts, part{text: text.String()}, part{variable: name})
			text.Reset()
			i += len(name) + 2
		case escaped(two) != "":
			text.WriteString(escaped(two))
			i++
		default:
			text.WriteByte(s[i])
		}
	}
	w.parts = append(w.parts, part{text: text.String()})
	return w, nil
}

// Wants reports whether the variable is in the template.
func (w *WriteOut) Wants(name string) bool {
	return slices.ContainsFunc(w.parts, func(p part) bool { return p.variable == name })
}

func escaped(two string) string {
	switch two {
	case "%%":
		return "%"
	case `\n`:
		return "\n"
	case `\r`:
		return "\r"
	case `\t`:
		return "\t"
	case `\\`:
		return `\`
	}
	return ""
}

// Write writes the template with the values of i. more, which may be nil, has the values of more variables. Control characters in values are
// escaped, since servers send them.
func (w *WriteOut) Write(to io.Writer, i Info, more map[string]string) error {
	out := to
	for _, p := range w.parts {
		text := p.text
		v, ok := more[p.variable]
		switch {
		case p.field != "":
			v = i.Header.value(p.field)
		case p.variable == "stderr":
			if out = w.Errors; out == nil {
				out = io.Discard
			}
		case p.variable == "stdout":
			out = to
		case p.variable == "onerror" && i.Error == nil:
			return nil
		case p.variable == "json":
			text += i.curlJSON(more)
		case !ok:
			v = i.variable(p.variable)
		}
		if _, err := io.WriteString(out, text+Escape(v)); err != nil {
			return err
		}
	}
	return nil
}

// Variables returns the variables of a WriteOut: the members of Info's JSON form, and curl's names for the same values.
func Variables() []string {
	return []string{"uri", "final_uri", "scheme", "type", "type_reason", "charset", "charset_reason", "size", "modified", "precision", "zone", "end", "sha256", "path", "gaps", "piece", "pieces", "time", "connections",
		"protocol", "status", "reason", "state", "offset", "search", "fragment", "referrals", "header_json", "class", "message", "hint", "pending",
		"url", "url_effective", "http_code", "response_code", "http_version", "content_type", "size_download", "time_total", "num_connects", "num_redirects", "redirect_url",
		"filename_effective", "errormsg", "time_namelookup", "time_connect", "time_appconnect", "time_pretransfer", "time_starttransfer", "time_redirect",
		"speed_download", "remote_ip", "remote_port", "local_ip", "local_port", "method", "num_headers", "http_connect", "ssl_verify_result",
		"proxy_ssl_verify_result", "size_upload", "speed_upload", "json", "stdout", "stderr", "onerror"}
}

// variable returns the value of a variable. It returns "" if the value is unknown.
func (i *Info) variable(name string) string {
	switch name {
	case "uri", "url":
		return i.URI
	case "final_uri", "url_effective":
		return i.FinalURI
	case "scheme":
		return i.Scheme
	case "protocol":
		return i.Protocol
	case "http_version":
		return strings.TrimPrefix(i.Protocol, "HTTP/")
	case "status", "http_code", "response_code":
		return i.status()
	case "reason":
		return i.Reason
	case "state":
		return i.State
	case "offset":
		return strconv.FormatInt(i.Offset, 10)
	case "header_json":
		return i.Header.json()
	case "search":
		return i.Search
	case "type":
		return i.Type
	case "content_type":
		return i.contentType()
	case "charset":
		return i.Charset
	case "charset_reason":
		return i.CharsetHow
	case "type_reason":
		return i.TypeReason
	case "size", "size_download":
		return decimal(i.Size)
	case "precision":
		return i.Precision
	case "zone":
		return i.Zone
	case "modified":
		return i.Modified
	case "end":
		return string(i.End)
	case "sha256":
		return i.SHA256
	case "path", "filename_effective":
		return i.Path
	case "gaps":
		return strconv.FormatInt(i.Gaps, 10)
	case "piece":
		return strconv.Itoa(i.Piece)
	case "pieces":
		return strconv.Itoa(i.Pieces)
	case "time", "time_total":
		return strconv.FormatFloat(i.Time, 'f', 6, 64)
	case "connections", "num_connects":
		return strconv.Itoa(i.Connections)
	case "fragment":
		return i.Fragment
	case "referrals", "num_redirects":
		return strconv.Itoa(i.followed())
	case "redirect_url":
		return i.notFollowed()
	}
	if v, ok := i.transfer(name); ok {
		return v
	}
	return i.failure(name)
}

// contentType returns the type that the server sent, with its parameters. It returns Type if the scheme has no such field.
func (i *Info) contentType() string {
	if sent := i.Header.value("Content-Type"); sent != "" && strings.EqualFold(i.TypeReason, "Content-Type") {
		return sent
	}
	return i.Type
}

// status returns the server's status code, also of an error. It returns three zeros if there is none, like curl.
func (i *Info) status() string {
	n := i.Status
	if n == 0 && i.Error != nil {
		n = i.Error.Status
	}
	return fmt.Sprintf("%03d", n)
}

func (i *Info) failure(name string) string {
	switch {
	case i.Error == nil:
	case name == "class":
		return string(i.Error.Class)
	case name == "message", name == "errormsg":
		return i.Error.Message
	case name == "hint":
		return i.Error.Hint
	case name == "pending":
		return i.Error.Pending
	}
	return ""
}

func decimal(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func (i *Info) followed() (n int) {
	for _, r := range i.Referrals {
		if r.Followed {
			n++
		}
	}
	return n
}

// notFollowed returns the first referral that was not followed.
func (i *Info) notFollowed() string {
	for _, r := range i.Referrals {
		if !r.Followed {
			return r.URI
		}
	}
	return ""
}
