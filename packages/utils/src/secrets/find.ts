/** Finds secrets in a text: known values, families of tokens, private keys, random text in assignments, the home directory. */
import { secretLimits } from "../limits.ts";
import { families, type Family } from "./families.ts";
import type { KnownSecrets } from "./known.ts";

export interface Finding {
	/** What it is, for the user: "GitHub token", "value of OPENAI_API_KEY". */
	readonly family: string;
	readonly start: number;
	readonly end: number;
	/** What stands in its place when it is masked. */
	readonly replacement: string;
}

const maskedMark = "…[masked]";

/** In the order of the text, without overlaps: of two that overlap, the one that was found by the surer rule counts. */
export function findSecrets(text: string, known: KnownSecrets): Finding[] {
	if (text.length < secretLimits.shortest) return [];
	const taken: Finding[] = [];
	for (const finding of candidates(text, known)) {
		if (!taken.some(({ start, end }) => finding.start < end && start < finding.end)) taken.push(finding);
	}
	return taken.toSorted((a, b) => a.start - b.start);
}

export function maskFindings(text: string, findings: readonly Finding[]): string {
	let clean = "";
	let done = 0;
	for (const { start, end, replacement } of findings) {
		clean += text.slice(done, start) + replacement;
		done = end;
	}
	return clean + text.slice(done);
}

function* candidates(text: string, known: KnownSecrets): Generator<Finding> {
	yield* knownValues(text, known);
	yield* privateKeys(text);
	const lower = text.toLowerCase();
	for (const family of families) {
		if (family.words.some((word) => lower.includes(word))) yield* ofFamily(text, family);
	}
	yield* addresses(text);
	if (/[:=]/.test(text)) yield* assignments(text);
	yield* homes(text, known);
}

/** Longer values come first: a short one may be inside a long one. */
function* knownValues(text: string, { values }: KnownSecrets): Generator<Finding> {
	for (const { value, name } of values) {
		for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
			yield { family: name, start: at, end: at + value.length, replacement: maskedMark };
	}
}

/** The block may be inside JSON, and its end may be cut off; a mere mention has no body. */
const privateKey =
	/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:\s|\\[nrt]|[A-Za-z0-9+/=:,.() -](?!----)){40,16384})/g;

function* privateKeys(text: string): Generator<Finding> {
	if (!text.includes("PRIVATE KEY")) return;
	for (const match of text.matchAll(privateKey)) {
		const body = match[1] ?? "";
		const start = match.index + match[0].length - body.length;
		yield { family: "private key", start, end: start + body.length, replacement: maskedMark };
	}
}

function* ofFamily(text: string, { name, pattern, entropy, hasPrefix }: Family): Generator<Finding> {
	for (const match of text.matchAll(pattern)) {
		const secret = match[1] ?? match[0];
		const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(secret));
		if (entropyOf(secret) < entropy || isPlaceholder(secret) || isInBase64(text, start)) continue;
		// A named value without a digit is a word or a name of the program.
		if (!hasPrefix && !/\d/.test(secret)) continue;
		const hint = hasPrefix ? secret.slice(0, secretLimits.hint) : "";
		yield { family: name, start, end: start + secret.length, replacement: hint + maskedMark };
	}
}

const urlPassword = /:\/\/[^\s/@:"'<>`$]{0,256}:([^\s/@"'<>`$]{3,512})@(?=[\w[])/g;
const header =
	/\b(?:authorization|proxy-authorization|x-api-key|api-key|cookie)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|digest)\s{1,4})?([A-Za-z0-9._~+/=-]{12,2048})/gi;
const bearer = /\bbearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{20,2048})/gi;

function* addresses(text: string): Generator<Finding> {
	if (text.includes("://")) yield* groups(text, urlPassword, "password in an address", 0);
	yield* groups(text, header, "authorization header", secretLimits.headerEntropy);
	yield* groups(text, bearer, "bearer token", secretLimits.headerEntropy);
}

/** A literal that is assigned to a name which says that it is secret. */
const assignment =
	/(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?-?key|access_?-?key|auth_?-?key|private_?-?key|signing_?-?key|encryption_?-?key|credentials?|client_?-?secret|webhook_?-?url)[\w.-]{0,20}(?:\\?["'`]\]?)?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}(\\?["'`]|)([\w+/.=~!@#$%^&*-]{8,512})(?=\\?["'`]|\\[nr]|[\s,;)}\]]|$)/gi;

function* assignments(text: string): Generator<Finding> {
	for (const match of text.matchAll(assignment)) {
		const [whole, quote = "", value = ""] = match;
		if (!looksRandom(value, quote !== "")) continue;
		const start = match.index + whole.lastIndexOf(value);
		if (isInBase64(text, start)) continue;
		yield { family: "secret in an assignment", start, end: start + value.length, replacement: maskedMark };
	}
}

function* groups(text: string, pattern: RegExp, family: string, entropy: number): Generator<Finding> {
	for (const match of text.matchAll(pattern)) {
		const value = match[1] ?? "";
		if (isPlaceholder(value) || entropyOf(value) < entropy || (entropy > 0 && !/\d/.test(value))) continue;
		const start = match.index + match[0].lastIndexOf(value);
		yield { family, start, end: start + value.length, replacement: maskedMark };
	}
}

/** Also as folders of sessions are named after it: `--home-ann-project--`. */
function* homes(text: string, { homes: paths }: KnownSecrets): Generator<Finding> {
	for (const { path, replacement } of paths) {
		for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + path.length)) {
			const next = text[at + path.length] ?? "";
			const before = text[at - 1] ?? "";
			if (/[\w.]/.test(next) && !/^\.(?:$|\W)/.test(text.slice(at + path.length, at + path.length + 2)))
				continue;
			if (/\w/.test(before) && !/^\\[nrt]$/.test(text.slice(at - 2, at))) continue;
			yield { family: "home directory", start: at, end: at + path.length, replacement };
		}
	}
}

/** Letters and digits without a word in them; code (`getToken().x`, `process.env.KEY1`) and paths are none. */
function looksRandom(value: string, isQuoted: boolean): boolean {
	if (isPlaceholder(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
	if (
		/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) ||
		/^(?:[./~]|https?:|\d{4}-\d\d-\d\d)/.test(value)
	)
		return false;
	// Identifiers of programs: words with a number at their end, versions, sizes.
	if (
		(entropyOf(value) < secretLimits.wordEntropy &&
			/^[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{0,4}$/.test(value)) ||
		/^v?\d+(?:\.\d+)+/.test(value)
	)
		return false;
	if (/^\d+[a-z]{1,3}$/i.test(value)) return false;
	const least = isQuoted ? secretLimits.quotedEntropy : secretLimits.bareEntropy;
	return entropyOf(value) >= least;
}

const placeholder =
	/^(?:[$%@{<(]|\*+$|x{4,}$|\.{3})|example|placeholder|changeme|your[-_]|dummy|redacted|masked|^(.)\1{7,}$|\$\{|\{\{|0123456789|abcdefgh|12345678/i;

function isPlaceholder(value: string): boolean {
	return placeholder.test(value) || value.includes("…");
}

/** Bits a character, after Shannon. */
function entropyOf(text: string): number {
	const counts = new Map<string, number>();
	for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
	return bits;
}

/** An image may contain anything. */
function isInBase64(text: string, at: number): boolean {
	const before = text.slice(Math.max(0, at - secretLimits.base64Run), at);
	return before.length === secretLimits.base64Run && /^[A-Za-z0-9+/]+$/.test(before);
}
