/** The page of a session that is only read: one file that loads nothing, alone on a disk or under the address of a share. */

/** What the page may do. Only the script that was built with it runs, whatever a session contains. */
function policyFor(script: string, connect: string): string {
	const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
	return [
		"default-src 'none'",
		`script-src 'sha256-${hash}'`,
		"style-src 'unsafe-inline'",
		"img-src data:",
		`connect-src ${connect}`,
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types dompurify",
	].join("; ");
}

const fromServer = "connect-src 'self'";
const fromNowhere = "connect-src 'none'";
const dataMark = '<script type="application/json" id="session"></script>';

export function viewerPage({ script, style }: { script: string; style: string }): string {
	// A closing tag in a text of the script would end it.
	const safe = script.replaceAll(/<\/(script)/gi, "<\\/$1");
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(safe, "'self'")}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tau</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page of Tau needs JavaScript. It loads nothing.</noscript>
${dataMark}
<script>${safe}</script>
</body>
</html>
`;
}

/** The page with a session in it, which may connect to nothing any more. `json` is the session as JSON. */
export function filledViewer(page: string, json: string): string {
	const data = json
		.replaceAll("<", "\\u003c")
		.replaceAll("\u2028", "\\u2028")
		.replaceAll("\u2029", "\\u2029");
	const [before = "", after = ""] = page.split(dataMark);
	return `${before.replace(fromServer, fromNowhere)}${dataMark.replace("></", () => `>${data}</`)}${after}`;
}
