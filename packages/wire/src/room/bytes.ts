/** Bytes as rooms need them: joined, compared, written as base64url; the same in Bun and in browsers. */

/** WebCrypto takes bytes of an ordinary buffer only. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function concat(...parts: readonly Uint8Array[]): Bytes {
	const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

export function utf8(text: string): Bytes {
	return new TextEncoder().encode(text) as Bytes;
}

/** Throws where it is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
	return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

export function base64url(bytes: Uint8Array): string {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Undefined for what is not base64url, or has bits that no byte uses. */
export function fromBase64url(text: string): Bytes | undefined {
	if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
	const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0)) as Bytes;
	return base64url(bytes) === text ? bytes : undefined;
}

export function randomBytes(length: number): Bytes {
	return crypto.getRandomValues(new Uint8Array(length));
}

export async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...parts)));
}
