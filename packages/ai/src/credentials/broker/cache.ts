/** The last snapshot of a broker in a file, encrypted with its token: a start need not wait for the broker. */
import { log, readSecretFile, writeSecretFile } from "@tau/utils";

import { parseObject, type Json } from "../../json.ts";
import type { BrokerAccess } from "./access.ts";
import { brokerLimits } from "./limits.ts";

/** The answers of the broker as they were. */
export interface CachedAnswers {
	snapshot: Json;
	disabled: Json;
	/** How far the broker's clock was ahead of this machine's. */
	skewMs: number;
}

/** The beginning of the file, with the version of its format. */
const magic = new TextEncoder().encode("tau-broker-1\n");
const ivBytes = 12;

/** Undefined without a file, and for one that is damaged, of another broker or token, or of another version. */
export async function readCache(access: BrokerAccess): Promise<CachedAnswers | undefined> {
	try {
		const file = readSecretFile(access.cachePath, brokerLimits.answerBytes);
		if (!file?.subarray(0, magic.length).equals(magic)) return undefined;
		const sealed = new Uint8Array(file.subarray(magic.length));
		const opened = await crypto.subtle.decrypt(
			cipher(access, sealed.subarray(0, ivBytes)),
			await keyOf(access),
			sealed.subarray(ivBytes),
		);
		const { snapshot, disabled, skewMs } = parseObject(new TextDecoder().decode(opened)) ?? {};
		const answers = { snapshot: asObject(snapshot), disabled: asObject(disabled) };
		if (!answers.snapshot || !answers.disabled || typeof skewMs !== "number") return undefined;
		return { snapshot: answers.snapshot, disabled: answers.disabled, skewMs };
	} catch (error) {
		// The broker is asked instead, and its answer replaces the file.
		log.debug("a cached snapshot is not used", { reason: String(error) });
		return undefined;
	}
}

/** A file that cannot be written is a slower start, and no more. */
export async function writeCache(access: BrokerAccess, answers: CachedAnswers): Promise<void> {
	try {
		const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
		const open = new TextEncoder().encode(JSON.stringify(answers));
		const sealed = await crypto.subtle.encrypt(cipher(access, iv), await keyOf(access), open);
		writeSecretFile(access.cachePath, Buffer.concat([magic, iv, new Uint8Array(sealed)]));
	} catch (error) {
		log.warn("the snapshot of the auth broker is not cached", { reason: String(error) });
	}
}

/** The address is authenticated: a snapshot of another broker does not open. */
function cipher(
	{ url }: BrokerAccess,
	iv: Uint8Array<ArrayBuffer>,
): { name: string; iv: Uint8Array<ArrayBuffer>; additionalData: Uint8Array<ArrayBuffer> } {
	return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(url) };
}

/** The token has 256 random bits: its hash is a key as good as one from a slow function. */
async function keyOf({ token }: BrokerAccess): Promise<CryptoKey> {
	const bytes = new Bun.CryptoHasher("sha256").update(token).digest();
	return crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, ["encrypt", "decrypt"]);
}

function asObject(value: unknown): Json | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
