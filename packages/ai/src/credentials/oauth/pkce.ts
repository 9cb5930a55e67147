/** Random values that tie an answer to the login that asked for it (RFC 7636, RFC 6749 section 10.12). */

export interface Pkce {
	verifier: string;
	challenge: string;
	state: string;
}

export function createPkce(): Pkce {
	const verifier = random();
	const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
	return { verifier, challenge, state: random() };
}

function random(): string {
	return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}
