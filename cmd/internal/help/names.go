package help

// Names is `deref help names`.
const Names = `Names: what a URI may refer to, and how deref follows it

An IRI, such as http://münchen.example/größe, is a URI before anything else:
http://xn--mnchen-3ya.example/gr%C3%B6%C3%9Fe. Bytes that are not UTF-8, typed in
another locale or read from a list, are escaped. A host without an ASCII form is refused.
URL:http://h/ and <URL:http://h/>, as texts write references, are http://h/, also in lists
and in the links of documents.

A URI is tried in this order:

  1. a local equivalent, [local] in the configuration, if the file exists
  2. a gateway, [gateways], --gateway or $WWW_<scheme>_GATEWAY, in place of the handler
  3. <scheme>_proxy, which the http handler requests with the absolute URI. User and
     password follow as Basic or Digest after a 401, and never in the request line.
  4. a program of the configuration (deref help programs)
  5. the handler of the scheme
  6. a program on PATH, for x- schemes

Rules of the configuration are the user's own and may refer to any scheme. A server's
referral (prospero, NAPTR, a redirect, a menu) may name schemes that retrieve over the
network, x- schemes only with --allow-x, and files, sessions and others only with
--follow-to.

afs: refers to files below the mount point. cid: and mid: search the message at hand and
the mail sources. data: is its own document. file: is this machine's only, and is
refused if it names another host. deref locate shows the chain and deref explain the
next step; neither fetches the end.

--gateway whois=rdap asks RDAP servers for what a whois URI names. deref gateway
127.0.0.1:8070 shows every scheme to a browser, and is a proxy for programs that speak
only HTTP:

  ftp_proxy=http://127.0.0.1:8070/ wget -r ftp://host/

By http under the name or address of another machine (--allow-remote), it fetches nothing for
a page of another site: it asks before it opens an address from outside its own pages. A
program that requests a path, and does not use the proxy, sends -H 'Sec-Fetch-Site: none'. A
server before the gateway has to pass the Host field on unchanged.
`
