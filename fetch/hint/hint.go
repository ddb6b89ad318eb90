// Package hint contains the names that a fetch.Error has as its Hint. A Hint is either a sentence, or the Go name of a field or function,
// which may be followed by a blank and a value: "Policy.AllowPorts 25". A program whose users do not write Go, such as a command with flags,
// replaces the names with its own words.
package hint

// The names, of package fetch if they name no other.
const (
	Allow        = "Policy.Allow"           // the address is not public
	AllowPorts   = "Policy.AllowPorts"      // the port belongs to another service; the value is the port
	TrustDialer  = "Policy.TrustDialer"     // a proxy resolves the name, whose address is then not checked
	AllowX       = "Policy.AllowX"          // a referral to an x- scheme
	FollowTo     = "Policy.FollowTo"        // a referral that is not followed by default; the value is its scheme
	MaxReferrals = "Policy.MaxReferrals"    // too many referrals
	Schemes      = "Client.Schemes"         // no handler; the value is the scheme
	Host         = "uri.FromHost"           // a host without a scheme; the value is the URI that was probably meant
	TLS          = "Client.TLS"             // an unknown certificate authority
	FirstUse     = "Client.FirstUse"        // a certificate that the server has signed itself
	Attach       = "Client.Attach"          // a session; the value is its URI
	Send         = "Client.Send"            // a mailbox to send to, not to read
	Idle         = "Timeouts.Idle"          // the server asks to wait
	Base         = "Options.Base"           // a relative reference
	Search       = "Options.Search"         // words to search for, or an answer, are missing
	Login        = "Options.Login"          // a user is missing
	Password     = "Options.Login.Password" // a password is missing
	Part         = "Options.Part"           // the part that the fragment names cannot be returned alone
	Set          = "Options.Set"            // a setting; the value is KEY=VALUE
	Range        = "Options.Range"          // a part of the document, in bytes
	Document     = "Document"               // metadata is available only with the document
	ProxyLogin   = "proxy.Proxy"            // the proxy wants a password
	Bypass       = "proxy.Table.Bypass"     // the proxy does not carry datagrams; the value is a host
	Force        = "save.Options.Force"     // the file exists
	CreateDirs   = "save.Options.CreateDirs"
	Binary       = "Document.Body"        // a binary document has no text view
	Replace      = "warc.Options.Replace" // the archive exists
	Resume       = "warc.Options.Resume"  // an archive that was not finished exists
	MailSources  = "mail.Config.Sources"  // there is no mailbox to look in
	Letter       = "mail.Letter"          // a text without the header of a message
)
