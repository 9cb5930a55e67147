/** The certificates that a user trusts or presents, from variables that contain PEM or name a file with it. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { getCACertificates } from "node:tls";

/** The bounds of the transport, each with its reason. */
const limits = {
	/** The roots that systems ship are some 250 KB; a far larger file does not contain certificates. */
	pemBytes: 4 * 1024 * 1024,
} as const;

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
export async function readTls(variables: TlsVariables): Promise<TlsMaterial> {
	const authorities = await readPem("NODE_EXTRA_CA_CERTS", variables, certificatesIn);
	const clientCertificates = await readPem("CLAUDE_CODE_CLIENT_CERT", variables, certificatesIn);
	const key = await readPem("CLAUDE_CODE_CLIENT_KEY", variables, keyIn);
	if (clientCertificates === undefined && key !== undefined) {
		throw new Error("CLAUDE_CODE_CLIENT_KEY is set without CLAUDE_CODE_CLIENT_CERT: set both or none");
	}
	const material: TlsMaterial = {};
	if (authorities) {
		// This list replaces the roots of the runtime, and the user wants one more, not one only.
		const roots = [...getCACertificates("bundled"), ...getCACertificates("system")];
		material.ca = [...new Set([...roots, ...authorities].map((each) => each.trim()))];
	}
	if (clientCertificates === undefined) return material;
	if (key === undefined) {
		throw new Error("CLAUDE_CODE_CLIENT_CERT is set without CLAUDE_CODE_CLIENT_KEY: set both or none");
	}
	if (!new X509Certificate(clientCertificates[0] ?? "").checkPrivateKey(createPrivateKey(key))) {
		throw new Error("CLAUDE_CODE_CLIENT_KEY is not the key of the certificate in CLAUDE_CODE_CLIENT_CERT");
	}
	return { ...material, cert: clientCertificates.join("\n"), key };
}

async function readPem<T>(
	variable: keyof TlsVariables,
	variables: TlsVariables,
	check: (pem: string) => T,
): Promise<T | undefined> {
	const value = variables[variable];
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
	if (file.size > limits.pemBytes)
		throw new Error(`a file of ${file.size} bytes is too large for a certificate`);
	return file.text();
}

/** Each certificate is checked separately: a broken one would fail the connection without a reason. */
function certificatesIn(pem: string): string[] {
	const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
	if (certificates.length === 0) throw new Error("it contains no certificate in PEM format");
	for (const [index, certificate] of certificates.entries()) {
		if (!isReadable(() => new X509Certificate(certificate))) {
			throw new Error(`certificate ${index + 1} in it is invalid`);
		}
	}
	return certificates;
}

function keyIn(pem: string): string {
	if (isReadable(() => createPrivateKey(pem))) return pem;
	throw new Error("it contains no private key in PEM format without a passphrase");
}

function isReadable(read: () => unknown): boolean {
	try {
		read();
		return true;
	} catch {
		// OpenSSL's reasons are codes; the caller describes in words what was expected.
		return false;
	}
}
