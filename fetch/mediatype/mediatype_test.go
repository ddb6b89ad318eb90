package mediatype

import "testing"

func TestOfName(t *testing.T) {
	for _, tt := range []struct{ name, want, suffix string }{
		{"a.txt", "text/plain", ".txt"},
		{"/pub/A.HTML", "text/html", ".html"},
		{"x.tar.gz", "application/gzip", ".gz"},
		{"a.b/README", "", ""},
		{".txt", "", ""}, // a hidden file, not a suffix
		{"x.", "", ""},
		{"x.unheard", "", ""},
		{"x.verylongsuffix", "", ""},
		{"x.markdown", "text/markdown", ".markdown"},
	} {
		if got, suffix := OfName(tt.name); got != tt.want || suffix != tt.suffix {
			t.Errorf("%q: got %q by %q, want %q by %q", tt.name, got, suffix, tt.want, tt.suffix)
		}
		want := tt.want
		if want == "" {
			want = Unknown
		}
		if got := OfFile(tt.name); got != want {
			t.Errorf("OfFile(%q): got %q, want %q", tt.name, got, want)
		}
	}
}

func TestEssence(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"text/plain", "text/plain"},
		{"Text/HTML; charset=\"utf-8\"", "text/html"},
		{" text/gemini ;lang=en", "text/gemini"},
	} {
		if got := Essence(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestOfContent(t *testing.T) {
	for _, tt := range []struct{ head, want string }{
		{"", "text/plain"},
		{"plain words\r\n\twith a tab", "text/plain"},
		{"caf\xe9 in Latin-1", "text/plain"},
		{"\x00\x01", Unknown},
		{"GIF89a\x01\x00", "image/gif"},
		{"BMW is a make of car", "text/plain"},
		{"BM\x36\x00\x00\x00", "image/bmp"},
		{"RIFF\x24\x00\x00\x00WAVEfmt ", "audio/x-wav"},
		{"RIFF", "text/plain"},
	} {
		if got := OfContent([]byte(tt.head)); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.head, got, tt.want)
		}
	}
}
