package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
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
	out, values := to, i.values(more)
	for _, p := range w.parts {
		text, v := p.text, values[p.variable]
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
			text += curlJSON(values)
		}
		if _, err := io.WriteString(out, text+Escape(v)); err != nil {
			return err
		}
	}
	return nil
}

// Variables returns the variables of a WriteOut: the members of Info's JSON form, curl's names, and those that choose the output.
func Variables() []string {
	return append(slices.Sorted(maps.Keys((&Info{}).values(nil))), "json", "stdout", "stderr", "onerror")
}

// values returns the values of the variables. They are "" if they are unknown.
func (i *Info) values(more map[string]string) map[string]string {
	failed := cmp.Or(i.Error, &Failure{})
	followed, next := 0, ""
	for _, r := range i.Referrals {
		if r.Followed {
			followed++
		} else {
			next = cmp.Or(next, r.URI)
		}
	}
	sent := 0
	for _, values := range i.Header {
		sent += len(values)
	}
	speed := int64(0)
	if i.Size != nil && i.Time > 0 {
		speed = int64(float64(*i.Size) / i.Time)
	}
	t := &i.Times
	values := map[string]string{}
	fields := reflect.ValueOf(i).Elem()
	for n := range fields.NumField() {
		switch name, _, _ := strings.Cut(fields.Type().Field(n).Tag.Get("json"), ","); v := fields.Field(n).Interface().(type) {
		case string, int, int64, *int64, float64, fetch.End:
			values[name] = valueText(v)
		}
	}
	for name, v := range map[string]any{
		"referrals": followed, "status": fmt.Sprintf("%03d", cmp.Or(i.Status, failed.Status)), // like curl, three zeros if there is none
		"class": failed.Class, "message": failed.Message, "hint": failed.Hint, "pending": failed.Pending, "header_json": i.Header.json(),

		"http_version": strings.TrimPrefix(i.Protocol, "HTTP/"), "content_type": i.contentType(), "redirect_url": next,
		"time_namelookup": t.Lookup, "time_connect": t.Connect, "time_appconnect": t.TLS, "time_starttransfer": t.Reply, "time_redirect": t.Redirect,
		"time_pretransfer": max(t.Redirect, t.Connect, t.TLS), // the request is sent as soon as the connection is ready
		"speed_download":   speed, "num_headers": sent, "remote_ip": ip(i.Remote), "remote_port": i.Remote.Port(), "local_ip": ip(i.Local),
		"local_port": i.Local.Port(), "http_connect": "000",
		// A certificate that is not trusted is an error, and nothing is uploaded.
		"ssl_verify_result": 0, "proxy_ssl_verify_result": 0, "size_upload": 0, "speed_upload": 0,
	} {
		values[name] = valueText(v)
	}
	for name, same := range map[string]string{"url": "uri", "url_effective": "final_uri", "http_code": "status", "response_code": "status",
		"size_download": "size", "filename_effective": "path", "time_total": "time", "num_connects": "connections", "num_redirects": "referrals",
		"errormsg": "message"} {
		values[name] = values[same]
	}
	maps.Copy(values, more)
	return values
}

// valueText returns the text of a value. Seconds have six digits after the point.
func valueText(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', 6, 64)
	case *int64:
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	}
	return fmt.Sprint(v)
}

// contentType returns the type that the server sent, with its parameters. It returns Type if the scheme has no such field.
func (i *Info) contentType() string {
	if sent := i.Header.value("Content-Type"); sent != "" && strings.EqualFold(i.TypeReason, "Content-Type") {
		return sent
	}
	return i.Type
}

// ip returns the address, or "" if it is unknown.
func ip(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.Addr().String()
}
