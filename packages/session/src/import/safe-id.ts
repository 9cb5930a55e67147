/** An id that becomes part of a file's name. */
import { limits } from "./limits.ts";

/** What is no id, or a strange one, gets one that is the same at every reading. */
export function safeId(id: string): string {
	if (id.length <= limits.idChars && /^[\w-]+$/.test(id)) return id;
	return new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 32);
}
