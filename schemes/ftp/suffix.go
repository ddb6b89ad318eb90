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
	s = builtin(suffix)
	if s.Type == "" {
		return "", s
	}
	return suffix, s
}

// builtin returns what the suffixes of public archives mean.
func builtin(suffix string) Suffix {
	switch suffix {
	case "txt", "text", "me", "readme", "asc", "log",
		"c", "h", "cc", "cpp", "go", "py", "pl", "sh", "for", "f", "pas", "java", "diff", "patch":
		return Suffix{"text/plain", true}
	case "shtml":
		return Suffix{"text/html", true}
	case "rtx":
		return Suffix{"text/richtext", true}
	case "tsv":
		return Suffix{"text/tab-separated-values", true}
	case "tex", "latex", "ltx":
		return Suffix{"application/x-tex", true}
	case "shar":
		return Suffix{"application/x-shar", true}
	case "html", "htm", "css", "csv", "md", "gmi", "gemini", "xml", "json", "js", "ps", "eps", "ai", "eml", "mime", "uu", "uue", "hqx":
		return Suffix{mediatype.OfFile("x." + suffix), true}
	}
	return Suffix{binary(suffix), false}
}

func binary(suffix string) string {
	switch suffix {
	case "wav":
		return "audio/wav"
	case "mpe":
		return "video/mpeg"
	case "zoo", "arc", "lzh", "arj":
		return "application/x-" + suffix
	case "gif", "png", "bmp", "webp", "jpg", "jpeg", "jpe", "tif", "tiff", "svg", "xbm", "au", "snd", "mp3", "mpg", "mpeg", "mov", "qt",
		"pdf", "dvi", "rtf", "z", "gz", "tgz", "bz2", "xz", "zst", "tar", "zip",
		"iso", "bin", "exe", "com", "img", "dmg", "deb", "rpm":
		return mediatype.OfFile("x." + suffix)
	}
	return ""
}
