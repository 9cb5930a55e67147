/** What a release consists of, and how it is fetched: nothing is used before its signature or checksum holds. */
import { createPublicKey, verify } from "node:crypto";

import { z } from "zod";

import { limits } from "../../limits.ts";

const releaseShape = z.object({
	name: z.literal("tau"),
	version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
	files: z.array(
		z.object({
			platform: z.string(),
			file: z.string().regex(/^[\w.-]+$/),
			size: z.number().int().positive(),
			sha256: z.string().regex(/^[0-9a-f]{64}$/),
		}),
	),
});

export type Release = z.infer<typeof releaseShape>;
export type ReleaseFile = Release["files"][number];

export interface ReleaseSource {
	/** Where `release.json` and the files are. */
	url: string;
	/** PEM of the public key that signs releases. */
	key: string;
}

/** Rejects if the newest release cannot be fetched, or is not signed by the key. */
export async function fetchRelease({ url, key }: ReleaseSource, signal: AbortSignal): Promise<Release> {
	const [bytes, signature] = await Promise.all([
		download(`${url}/release.json`, limits.releaseBytes, signal),
		download(`${url}/release.json.sig`, limits.releaseBytes, signal),
	]);
	const isSigned = verify(
		null,
		bytes,
		createPublicKey(key),
		Buffer.from(signature.toString("utf8").trim(), "base64"),
	);
	if (!isSigned)
		throw new Error(`The signature of ${url}/release.json is not valid for this build. Nothing was changed.`);
	return releaseShape.parse(JSON.parse(bytes.toString("utf8")));
}

/** The archive of a release, as long as and with the checksum that the signed manifest has. */
export async function fetchReleaseFile(
	url: string,
	{ file, size, sha256 }: ReleaseFile,
	signal: AbortSignal,
): Promise<Buffer> {
	const bytes = await download(`${url}/${file}`, size, signal);
	const found = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
	if (found !== sha256)
		throw new Error(`${file} has the checksum ${found} instead of ${sha256}. Nothing was changed.`);
	return bytes;
}

async function download(url: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
	const timeout = AbortSignal.any([signal, AbortSignal.timeout(limits.downloadMs)]);
	const response = await fetch(url, { signal: timeout });
	if (!response.ok || !response.body) throw new Error(`${url}: HTTP ${response.status}`);
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of response.body) {
		length += chunk.byteLength;
		if (length > maxBytes) throw new Error(`${url} is larger than the ${maxBytes} bytes that were expected.`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** Positive if `a` is newer. A pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
	return Bun.semver.order(a, b);
}
