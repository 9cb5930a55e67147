/** The certificates that a user wants trusted or shown, from variables that hold PEM or name a file with it. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { getCACertificates } from "node:tls";

import { limits } from "./limits.ts";

export interface TlsVariables {
	NODE_EXTRA_CA_CERTS?: string;
	CLAUDE_CODE_CLIENT_CERT?: string;
	CLAUDE_CODE_CLIENT_KEY?: string;
}

export interface TlsMaterial {
	ca?: string[];
	cert?: string;
	key?: string;
}

/** Throws an `Error` that names the variable; the caller turns it into a failure. */
export async function readTls(given: TlsVariables): Promise<TlsMaterial> {
	const authorities = await readPem("NODE_EXTRA_CA_CERTS", given, certificatesIn);
	const shown = await readPem("CLAUDE_CODE_CLIENT_CERT", given, certificatesIn);
	const key = await readPem("CLAUDE_CODE_CLIENT_KEY", given, keyIn);
	if (shown === undefined && key !== undefined) {
		throw new Error("CLAUDE_CODE_CLIENT_KEY is set without CLAUDE_CODE_CLIENT_CERT: set both or none");
	}
	const material: TlsMaterial = {};
	if (authorities) {
		// What stands here replaces the roots of the runtime, and the user wants one more, not one only.
		const roots = [...getCACertificates("bundled"), ...getCACertificates("system")];
		material.ca = [...new Set([...roots, ...authorities].map((each) => each.trim()))];
	}
	if (shown === undefined) return material;
	if (key === undefined) {
		throw new Error("CLAUDE_CODE_CLIENT_CERT is set without CLAUDE_CODE_CLIENT_KEY: set both or none");
	}
	if (!new X509Certificate(shown[0] ?? "").checkPrivateKey(createPrivateKey(key))) {
		throw new Error("CLAUDE_CODE_CLIENT_KEY is not the key of the certificate in CLAUDE_CODE_CLIENT_CERT");
	}
	return { ...material, cert: shown.join("\n"), key };
}

async function readPem<T>(
	variable: keyof TlsVariables,
	given: TlsVariables,
	check: (pem: string) => T,
): Promise<T | undefined> {
	const value = given[variable];
	if (value === undefined) return undefined;
	const isInline = value.includes("-----BEGIN");
	const where = isInline ? variable : `${variable} (${value})`;
	try {
		return check(isInline ? value.replaceAll("\\r", "").replaceAll("\\n", "\n") : await readFile(value));
	} catch (error) {
		throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
	}
}

async function readFile(path: string): Promise<string> {
	const file = Bun.file(path);
	if (file.size > limits.pemBytes) throw new Error(`${file.size} bytes is too large for a certificate`);
	return file.text();
}

/** Each by itself: one that is broken would fail the connection without a word about why. */
function certificatesIn(pem: string): string[] {
	const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
	if (found.length === 0) throw new Error("it contains no certificate in PEM form");
	for (const [index, certificate] of found.entries()) {
		if (!isReadable(() => new X509Certificate(certificate))) {
			throw new Error(`certificate ${index + 1} in it is invalid`);
		}
	}
	return found;
}

function keyIn(pem: string): string {
	if (isReadable(() => createPrivateKey(pem))) return pem;
	throw new Error("it contains no private key in PEM form without a passphrase");
}

function isReadable(read: () => unknown): boolean {
	try {
		read();
		return true;
	} catch {
		// The reasons of OpenSSL are codes; the caller says in words what was looked for.
		return false;
	}
}
