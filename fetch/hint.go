package fetch

// An Error.Hint is either a sentence, or the Go name of a field or function, which may be followed by a blank and a value:
// "Policy.AllowPorts 25". The constants are these names. A program whose users do not write Go, such as a command with flags, replaces them
// with its own words.
const (
	HintAllow        = "Policy.Allow"           // the address is not public
	HintAllowPorts   = "Policy.AllowPorts"      // the port belongs to another service; the value is the port
	HintTrustDialer  = "Policy.TrustDialer"     // a proxy resolves the name, whose address is then not checked
	HintAllowX       = "Policy.AllowX"          // a referral to an x- scheme
	HintFollowTo     = "Policy.FollowTo"        // a referral that is not followed by default; the value is its scheme
	HintMaxReferrals = "Policy.MaxReferrals"    // too many referrals
	HintSchemes      = "Client.Schemes"         // no handler; the value is the scheme
	HintHost         = "uri.FromHost"           // a host without a scheme; the value is the URI that was probably meant
	HintTLS          = "Client.TLS"             // an unknown certificate authority
	HintFirstUse     = "Client.FirstUse"        // a certificate that the server has signed itself
	HintAttach       = "Client.Attach"          // a session; the value is its URI
	HintSend         = "Client.Send"            // a mailbox to send to, not to read
	HintIdle         = "Timeouts.Idle"          // the server asks to wait
	HintBase         = "Options.Base"           // a relative reference
	HintSearch       = "Options.Search"         // words to search for, or an answer, are missing
	HintLogin        = "Options.Login"          // a user is missing
	HintPassword     = "Options.Login.Password" // a password is missing
	HintPart         = "Options.Part"           // the part that the fragment names cannot be returned alone
	HintSet          = "Options.Set"            // a setting; the value is KEY=VALUE
	HintDocument     = "Document"               // metadata is available only with the document
	HintProxyLogin   = "proxy.Proxy"            // the proxy wants a password
	HintBypass       = "proxy.Table.Bypass"     // the proxy does not carry datagrams; the value is a host
	HintForce        = "save.Options.Force"     // the file exists
	HintCreateDirs   = "save.Options.CreateDirs"
	HintBinary       = "Document.Body"        // a binary document has no text view
	HintReplace      = "warc.Options.Replace" // the archive exists
	HintResume       = "warc.Options.Resume"  // an archive that was not finished exists
	HintMailSources  = "mail.Config.Sources"  // there is no mailbox to look in
	HintLetter       = "mail.Letter"          // a text without the header of a message
)
