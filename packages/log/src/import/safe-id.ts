/** An id that becomes part of a file's name. */
import { limits } from "./limits.ts";

/** A missing or unusual id is replaced by one that is the same at every import. */
export function safeId(id: string): string {
	if (id.length <= limits.idChars && /^[\w-]+$/.test(id)) return id;
	return new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 32);
}
