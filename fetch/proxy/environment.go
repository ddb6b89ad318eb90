package proxy

import "strings"

// FromEnvironment returns a Table from http_proxy, https_proxy, all_proxy and no_proxy. get is os.Getenv or similar. The variables of other
// schemes (ftp_proxy, wais_proxy) name gateways, which this package does not handle.
//
// HTTP_PROXY in capitals is ignored: a CGI program gets it from the client's Proxy field (CVE-2016-5385).
func FromEnvironment(get func(string) string) (*Table, error) {
	t := &Table{Schemes: map[string]*Proxy{}, Direct: true}
	for _, scheme := range [...]string{"http", "https", "all"} {
		v := get(scheme + "_proxy")
		if v == "" && scheme != "http" {
			v = get(strings.ToUpper(scheme) + "_PROXY")
		}
		if v == "" {
			continue
		}
		p, err := Parse(v)
		if err != nil {
			return nil, err
		}
		if scheme == "all" {
			t.All = p
		} else {
			t.Schemes[scheme] = p
		}
	}
	list := get("no_proxy")
	if list == "" {
		list = get("NO_PROXY")
	}
	t.Bypass = ParseBypass(list)
	return t, nil
}
