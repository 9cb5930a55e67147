/** Signs a service account's request for a token (RFC 7523, RS256). */
import type { ServiceAccount } from "./credentials.ts";
import { limits } from "./limits.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** Throws when the key cannot be read. */
export async function signAssertion(account: ServiceAccount, now: number = Date.now()): Promise<string> {
	const issued = Math.floor(now / 1000);
	const header = { alg: "RS256", typ: "JWT", ...(account.keyId ? { kid: account.keyId } : {}) };
	const claims = {
		iss: account.email,
		scope,
		aud: account.tokenUri,
		iat: issued,
		exp: issued + limits.assertionSeconds,
	};
	const content = [header, claims].map((part) => base64url(Buffer.from(JSON.stringify(part)))).join(".");
	const key = await crypto.subtle.importKey("pkcs8", derOf(account.privateKey), algorithm, false, ["sign"]);
	const signature = await crypto.subtle.sign(algorithm.name, key, Buffer.from(content));
	return `${content}.${base64url(Buffer.from(signature))}`;
}

function derOf(pem: string): Buffer<ArrayBuffer> {
	const body = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
	if (body === undefined) throw new Error("it is not a PKCS #8 key in PEM form");
	return Buffer.from(body, "base64");
}

function base64url(bytes: Buffer): string {
	return bytes.toString("base64url");
}
