package ftp

import (
	"strings"

	"example.org/deref/fetch/mediatype"
)

// suffixOf returns the suffix of a name and what it means: "the data format of a file can only, in the general FTP case, be
// deduced from the name" (RFC 1630, FTP).
func (c *Config) suffixOf(name string) (suffix string, s Suffix) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", s
	}
	suffix = strings.ToLower(name[i+1:])
	if s, ok := c.Suffixes[suffix]; ok {
		return suffix, s
	}
	if s.Type, _ = mediatype.OfName("x." + suffix); s.Type == "" {
		s.Type = ofArchives(suffix)
	}
	if s.Type == "" {
		return "", s
	}
	switch s.Type {
	case "application/xml", "application/json", "application/postscript", "application/mac-binhex40", "application/x-tex", "application/x-shar",
		"message/rfc822":
		s.Text = true
	default:
		s.Text = strings.HasPrefix(s.Type, "text/")
	}
	return suffix, s
}

// ofArchives returns the media types of suffixes that only public archives have.
func ofArchives(suffix string) string {
	switch suffix {
	case "me", "readme", "cc", "cpp", "java", "for", "f", "pas":
		return "text/plain"
	case "rtx":
		return "text/richtext"
	case "tsv":
		return "text/tab-separated-values"
	case "tex", "latex", "ltx":
		return "application/x-tex"
	case "mpe":
		return "video/mpeg"
	case "shar", "zoo", "arc", "lzh", "arj":
		return "application/x-" + suffix
	case "com", "deb", "rpm":
		return mediatype.Unknown
	}
	return ""
}
