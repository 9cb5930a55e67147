/** What a browser sees at the address of a relay that has no built client with it. */

/** Answers with a file of the client and all its headers, or with nothing if it has no such file. */
export type Page = (request: Request, path: string) => Promise<Response | undefined>;

const style =
	"body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:4em auto;padding:0 1em;color-scheme:light dark}";
const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tau relay</title><style>${style}</style>
<h1>Tau relay</h1>
<p>This server connects the members of shared Tau sessions. It passes sealed messages on and cannot read them.</p>
<p>To join a session, run this in a terminal: <code>tau join "&lt;link&gt;"</code></p>
</html>
`;

/** No script, frame or picture of others; the address, whose fragment has the key, is sent to nobody. */
const headers: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"cross-origin-opener-policy": "same-origin",
};

/** For what the client does not answer: `/s/<id>` is the address of a share. */
export function plainPage(path: string): Response | undefined {
	return path === "/" || path.startsWith("/s/") ? new Response(html, { headers }) : undefined;
}
