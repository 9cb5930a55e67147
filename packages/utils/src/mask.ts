/** Takes secrets out of text and of values on their way to a log, a file or another person. */
import { maskLimits } from "./limits.ts";

export const masked = "…[masked]";
const tokenStart = "(?<![A-Za-z0-9])";

/**
 * Each pattern starts at a fixed text and then takes one run of one class of characters, with no overlap between
 * neighbouring runs: so the whole stays linear, whatever the input is.
 */
const shapes: readonly RegExp[] = [
	// Anthropic, OpenAI, OpenRouter and the many that imitate them.
	new RegExp(`${tokenStart}sk-[A-Za-z0-9_-]{16,}`, "g"),
	new RegExp(
		`${tokenStart}(?:gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xai-|npm_|pypi-|AIza)[A-Za-z0-9_-]{16,}`,
		"g",
	),
	new RegExp(`${tokenStart}(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}`, "g"),
	new RegExp(`${tokenStart}A(?:KIA|SIA|IDA|ROA)[A-Z0-9]{16}(?![A-Za-z0-9])`, "g"),
	/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
];

/** A name that promises a secret, and the value after it: the first group stays, the second goes. */
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

const registered = new Set<string>();

/** From now on this very value is masked wherever it appears; false when it is too short to be told from a word. */
export function registerSecret(value: string): boolean {
	if (value.length < maskLimits.secretLength) return false;
	for (const form of new Set([
		value,
		encodeURIComponent(value.toWellFormed()),
		JSON.stringify(value).slice(1, -1),
	])) {
		registered.delete(form);
		registered.add(form);
	}
	// Tokens are refreshed for as long as a session lives; those that go first have long expired.
	for (const oldest of registered) {
		if (registered.size <= maskLimits.registered) break;
		registered.delete(oldest);
	}
	return true;
}

export function maskSecrets(text: string): string {
	let clean = maskPem(maskRegistered(text));
	for (const shape of shapes) clean = clean.replace(shape, hint);
	for (const assignment of assignments) {
		clean = clean.replace(assignment, (whole, name: string, value: string) =>
			maskedAlready.test(value) ? whole : name + masked,
		);
	}
	return clean;
}

/** Shapes start with a public prefix that says whose key it was; of any other secret not a letter is shown. */
function hint(secret: string): string {
	return secret.slice(0, maskLimits.hintLength) + masked;
}

const maskedAlready = new RegExp(`^.{0,${maskLimits.hintLength}}…\\[masked\\][)}\\]>]*$`);

function maskRegistered(text: string): string {
	const found = [...registered].filter((secret) => text.includes(secret));
	// A secret inside a longer one must not leave the longer one's rest behind.
	found.sort((a, b) => b.length - a.length);
	let clean = text;
	for (const secret of found) clean = clean.replaceAll(secret, masked);
	return clean;
}

/** A block without an end is masked to the end of the text: it may have been cut on its way here. */
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
