package testservers

import (
	"io/fs"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

// A mailExample is a URI of a message or part of the site, with the URI of the message that contains it.
type mailExample struct {
	URI, Base string
	want      func(message func(name string) string) string
	search    bool
}

func MailExamples() []mailExample {
	plain := func(message func(string) string) string { return message("plain") }
	return []mailExample{
		{URI: "mid:plain.1@site.example", want: plain},
		{URI: "mid:related.1@site.example/note%2Fslash@site.example", want: note},
		{URI: "cid:note%2Fslash@site.example", Base: "mid:related.1@site.example", want: note},
		{URI: "mailto:tim@site.example", search: true, want: plain},
	}
}

// note returns the text of a part that is encoded as quoted-printable.
func note(func(string) string) string {
	return "A note in Latin-1, sent in quoted-printable: Gen\xe8ve. Its identifier has a slash in it."
}

// MailDocuments returns the documents of the one mail source, the IMAP server.
func MailDocuments(site fs.FS) (list []Document, err error) {
	message := func(name string) string {
		b, bad := mailtest.ReadMessage(site, "mail/"+name+".eml")
		if bad != nil {
			err = bad
		}
		return string(b)
	}
	for _, t := range MailExamples() {
		s := Document{URI: t.URI, Want: []byte(t.want(message)), Search: t.search}
		if t.Base != "" {
			s.Options = &fetch.Options{Base: uri.MustParse(t.Base)}
		}
		list = append(list, s)
	}
	return list, err
}

// MailConfig returns a configuration with the IMAP server of the list as the only mail source.
func MailConfig(list []Running) *schemes.Config {
	c := &mail.Config{}
	if u := URLOf(list, "imap"); u != "" {
		c.Sources = []mail.Source{{URI: u}}
	}
	return &schemes.Config{Mail: c}
}

// MailCommands returns commands to try while the IMAP server of the list runs.
func MailCommands(list []Running) (lines []string) {
	source := URLOf(list, "imap")
	if source == "" {
		return nil
	}
	for _, t := range MailExamples() {
		line := "deref --mail '" + source + "' "
		if t.Base != "" {
			line += "--base " + t.Base + " "
		}
		lines = append(lines, line+"'"+t.URI+"'")
	}
	if smtp := URLOf(list, "smtp"); smtp != "" {
		lines = append(lines, "deref send --smtp "+smtp+" --from me@site.example 'mailto:tim@site.example?subject=hello&body=text'")
	}
	return lines
}
