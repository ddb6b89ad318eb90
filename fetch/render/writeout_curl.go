package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// curlNames are the variables of %{json}. Those of numbers follow a sign.
const curlNames = "content_type errormsg #exitcode filename_effective #http_code #http_connect http_version local_ip #local_port method #num_connects #num_headers " +
	"#num_redirects #proxy_ssl_verify_result redirect_url remote_ip #remote_port #response_code scheme #size_download #size_upload #speed_download #speed_upload " +
	"#ssl_verify_result #time_appconnect #time_connect #time_namelookup #time_pretransfer #time_redirect #time_starttransfer #time_total url url_effective"

// curlJSON returns the object that curl prints for %{json}, without the variables that have no meaning here. Unknown texts are null.
func curlJSON(values map[string]string) string {
	var b strings.Builder
	b.WriteByte('{')
	for n, name := range slices.Collect(strings.FieldsSeq(curlNames)) {
		if n > 0 {
			b.WriteByte(',')
		}
		name, isNumber := strings.CutPrefix(name, "#")
		v := values[name]
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
