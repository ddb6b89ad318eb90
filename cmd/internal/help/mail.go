package help

// Mail is `deref help mail`.
const Mail = `Mail and news: messages by name, in mailboxes, and sending them

  mid:ID          a message by its Message-ID; mid:ID/CONTENT-ID is a part of it
  cid:ID          a part of the message that --base names, or of standard input
  mailto:ADDRESS  all messages to and from an address

--mail SOURCE names a store of messages: imap://user@host[/mailbox], imaps:, maildir:DIR,
mbox:FILE, mh:DIR, and nntp://host for articles. Passwords come from netrc,
pass-command, or the terminal. Reading never marks a message as seen.

  deref --mail imaps://ann@mail.example mid:960830.1639@XIson.com
  deref --mail maildir:Mail --links mid:a@b     # its parts and links; --link N, --part N
  deref --mail maildir:Mail --set mid.all=yes mid:a@b    # from every source; --format mbox
  deref --mail maildir:Mail --since 2026-11-01 --search draft mailto:tim@site.example
  deref send --smtp smtps://mail.example --from ann@site.example \
      'mailto:tim@site.example?subject=hello&body=text'
  date | deref send --body - --attach report.pdf --bcc eve@site.example \
      'mailto:tim@site.example?subject=hello'      # as mailx -s hello -a report.pdf

The message to send is the body of the URI, or standard input, or --file FILE: header,
empty line, text. --body FILE is text without a header, and --attach FILE a file. --bcc and
the bcc of the URI are recipients that the message does not name. An empty message is an
error without --empty. deref send prints the server's reply for each recipient. A lost final
reply is "unknown", and nothing is sent twice. --dry-run shows the message. deref help mailto
lists the settings.

A newsgroup is a listing of its articles, and a wildmat ('news:comp.*') a list of
groups. --since DATE, --last N, --part N and --set news.thread=yes choose. This writes a group to a
mailbox, and later appends new articles to it:

  deref --format mbox -C - -o www.mbox news:comp.infosystems.www

Missing articles are counted (gaps in --json) and requested from news.archive of the
configuration.
`
