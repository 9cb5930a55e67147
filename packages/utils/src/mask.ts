/** Removes secrets from text and values on their way to a log, a file or another user. */
import { maskLimits } from "./limits.ts";
import { tokenPrefixes as of } from "./token-prefixes.ts";

export const masked = "…[masked]";
/** Not inside a word; the `n` of an escaped line break is none. */
const tokenStart = "(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))";

/**
 * Each pattern starts at a fixed text and then matches one run of one character class, with no overlap between
 * neighboring runs: so matching stays linear for any input.
 */
const shapes: readonly RegExp[] = [
	`${of.sk}[A-Za-z0-9_-]{16,}`,
	`(?:${[of.github, of.githubFineGrained, of.gitlab, of.huggingFace, of.groq, of.xai, of.npm, of.pypi, of.google].join("|")})[A-Za-z0-9_-]{16,}`,
	`(?:${of.slack}|${of.slackApp})-[A-Za-z0-9-]{10,}`,
	`${of.aws}[A-Z0-9]{16}(?![A-Za-z0-9])`,
	`(?<![_-])${of.jwt}[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?`,
].map((shape) => new RegExp(tokenStart + shape, "g"));

/** The name of a secret, and the value after it: the first group stays, the second is masked. */
const assignments: readonly RegExp[] = [
	/(\b(?:bearer|basic)[ \t]{1,4})([A-Za-z0-9._~+/=-]{8,})/gi,
	/(\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|digest)\s{1,4})?)([^\s"'\\,;]+)/gi,
	/((?:api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)([^\s"'\\,;&]+)/gi,
	/((?:[-_]token|[-_]secret|password|passwd|passphrase)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)([^\s"'\\,;&]+)/gi,
	/((?:[a-z]Token|[a-z]Secret|\b(?:token|secret))\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)([^\s"'\\,;&]{8,})/g,
	/(:\/\/[^\s/@:]{0,256}:)([^\s/@]{1,1024})(?=@)/g,
];

const pemBegin = "-----BEGIN ";
const pemFence = "-----";

/** As exported pages write them. */
const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const registered = new Set<string>();
/** A server registers the same one for each of its requests. */
let latest = "";

/**
 * From now on, this value is masked wherever it appears; false when it is too short to be distinguished from a word.
 */
export function registerSecret(value: string): boolean {
	if (value === latest) return true;
	if (value.length < maskLimits.secretLength) return false;
	latest = value;
	for (const form of new Set([
		value,
		encodeURIComponent(value.toWellFormed()),
		JSON.stringify(value).slice(1, -1),
		value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? ""),
	])) {
		registered.delete(form);
		registered.add(form);
	}
	// Tokens are refreshed as long as a session lives; the oldest have long expired.
	for (const oldest of registered) {
		if (registered.size <= maskLimits.registered) break;
		registered.delete(oldest);
	}
	return true;
}

/** In each form in which they may appear. */
export function registeredSecrets(): Iterable<string> {
	return registered;
}

/** For tests: what one file registers is ordinary text in the next file of its process. */
export function forgetSecrets(): void {
	registered.clear();
}

export function maskSecrets(text: string): string {
	let clean = maskPem(maskKnownSecrets(text));
	for (const shape of shapes) clean = clean.replace(shape, hint);
	for (const assignment of assignments) {
		clean = clean.replace(assignment, (whole, name: string, value: string) =>
			maskedAlready.test(value) ? whole : name + masked,
		);
	}
	return clean;
}

/** Known shapes start with a public prefix that identifies the vendor; no part of any other secret is shown. */
function hint(secret: string): string {
	return secret.slice(0, maskLimits.hintLength) + masked;
}

const maskedAlready = new RegExp(`^.{0,${maskLimits.hintLength}}…\\[masked\\][)}\\]>]*$`);

/** Only registered secrets: for text in which what merely looks like a secret must stay, such as code. */
export function maskKnownSecrets(text: string): string {
	const matches = [...registered].filter((secret) => text.includes(secret));
	// The longest secret is masked first: otherwise the rest of it would remain when a shorter one is inside it.
	matches.sort((a, b) => b.length - a.length);
	let clean = text;
	for (const secret of matches) clean = clean.replaceAll(secret, masked);
	return clean;
}

/** A whole block: half of one is more likely a text about keys, and must not take the rest of a page with it. */
const pemBlock = new RegExp(
	`(${pemBegin}[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?${pemFence})[^-]{1,${maskLimits.pemBody}}(?=${pemFence}END )`,
	"g",
);

/**
 * Registered secrets, private keys and what has the unmistakable shape of a vendor's token: for a text that others
 * will read, in which code that handles secrets must stay. A name such as `npm_config_registry` has no digit.
 */
export function maskTokens(text: string): string {
	let clean = maskKnownSecrets(text).replace(pemBlock, (_, begin: string) => begin + masked);
	for (const shape of shapes) {
		clean = clean.replace(shape, (token: string, at: number, whole: string) =>
			/\d/.test(token) && !isInBase64(whole, at) ? hint(token) : token,
		);
	}
	return clean;
}

/** An image may contain anything. */
function isInBase64(text: string, at: number): boolean {
	const before = text.slice(Math.max(0, at - maskLimits.base64Run), at);
	return before.length === maskLimits.base64Run && /^[A-Za-z0-9+/]+$/.test(before);
}

/** A block without an end is masked to the end of the text: it may have been truncated. */
function maskPem(text: string): string {
	let clean = "";
	let done = 0;
	for (let at = text.indexOf(pemBegin); at >= 0; at = text.indexOf(pemBegin, done)) {
		const labelEnd = text.indexOf(pemFence, at + pemBegin.length);
		const bodyStart = labelEnd < 0 ? text.length : labelEnd + pemFence.length;
		const isKey = text.slice(at, Math.min(bodyStart, at + maskLimits.pemLabel)).includes("PRIVATE KEY");
		const bodyEnd = isKey ? text.indexOf(pemFence, bodyStart) : bodyStart;
		const end = bodyEnd < 0 ? text.length : bodyEnd;
		clean += isKey ? text.slice(done, bodyStart) + masked : text.slice(done, end);
		done = end;
	}
	return clean + text.slice(done);
}
