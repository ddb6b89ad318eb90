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
	message   string // the file of the message, without its suffix; "" for note
	search    bool
}

func MailExamples() []mailExample {
	return []mailExample{
		{URI: "mid:plain.1@site.example", message: "plain"},
		{URI: "mid:related.1@site.example/note%2Fslash@site.example"},
		{URI: "cid:note%2Fslash@site.example", Base: "mid:related.1@site.example"},
		{URI: "mailto:tim@site.example", search: true, message: "plain"},
	}
}

// note is the text of a part that is encoded as quoted-printable.
const note = "A note in Latin-1, sent in quoted-printable: Gen\xe8ve. Its identifier has a slash in it."

// MailDocuments returns the documents of the one mail source, the IMAP server.
func MailDocuments(site fs.FS) (list []Document, err error) {
	for _, t := range MailExamples() {
		s := Document{URI: t.URI, Want: []byte(note), Search: t.search}
		if t.message != "" {
			if s.Want, err = mailtest.ReadMessage(site, "mail/"+t.message+".eml"); err != nil {
				return nil, err
			}
		}
		if t.Base != "" {
			s.Options = &fetch.Options{Base: uri.MustParse(t.Base)}
		}
		list = append(list, s)
	}
	return list, nil
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
