package render

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// transfer returns the value of a variable about the connection and the speed, by curl's name.
func (i *Info) transfer(name string) (value string, ok bool) {
	t := &i.Times
	switch name {
	case "time_namelookup":
		return seconds(t.Lookup), true
	case "time_connect":
		return seconds(t.Connect), true
	case "time_appconnect":
		return seconds(t.TLS), true
	case "time_pretransfer": // the request is sent as soon as the connection is ready
		return seconds(max(t.Redirect, t.Connect, t.TLS)), true
	case "time_starttransfer":
		return seconds(t.Reply), true
	case "time_redirect":
		return seconds(t.Redirect), true
	case "speed_download":
		if i.Size == nil || i.Time <= 0 {
			return "0", true
		}
		return strconv.FormatInt(int64(float64(*i.Size)/i.Time), 10), true
	case "remote_ip":
		return ip(i.Remote), true
	case "remote_port":
		return strconv.Itoa(int(i.Remote.Port())), true
	case "local_ip":
		return ip(i.Local), true
	case "local_port":
		return strconv.Itoa(int(i.Local.Port())), true
	case "method":
		return i.Method, true
	case "num_headers":
		n := 0
		for _, values := range i.Header {
			n += len(values)
		}
		return strconv.Itoa(n), true
	case "http_connect":
		return "000", true
	case "ssl_verify_result", "proxy_ssl_verify_result", "size_upload", "speed_upload": // a certificate that is not trusted is an error, and nothing is uploaded
		return "0", true
	}
	return "", false
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

// ip returns the address, or "" if it is unknown.
func ip(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.Addr().String()
}

// curlNames are the variables of %{json}. Those of numbers follow a sign.
const curlNames = "content_type errormsg #exitcode filename_effective #http_code #http_connect http_version local_ip #local_port method #num_connects #num_headers " +
	"#num_redirects #proxy_ssl_verify_result redirect_url remote_ip #remote_port #response_code scheme #size_download #size_upload #speed_download #speed_upload " +
	"#ssl_verify_result #time_appconnect #time_connect #time_namelookup #time_pretransfer #time_redirect #time_starttransfer #time_total url url_effective"

// curlJSON returns the object that curl prints for %{json}, without the variables that have no meaning here. Unknown texts are null.
func (i *Info) curlJSON(more map[string]string) string {
	var b strings.Builder
	b.WriteByte('{')
	for n, name := range slices.Collect(strings.FieldsSeq(curlNames)) {
		if n > 0 {
			b.WriteByte(',')
		}
		name, isNumber := strings.CutPrefix(name, "#")
		v, ok := more[name]
		if !ok {
			v = i.variable(name)
		}
		b.WriteString(`"` + name + `":`)
		switch f, err := strconv.ParseFloat(v, 64); {
		case isNumber && err == nil:
			b.WriteString(strconv.FormatFloat(f, 'f', -1, 64))
		case isNumber:
			b.WriteByte('0')
		case v == "":
			b.WriteString("null")
		default:
			text, _ := json.Marshal(Escape(v))
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.String()
}
