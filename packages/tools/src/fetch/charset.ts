/** Decodes a page by its declared encoding: a byte order mark, the server's header, the page itself. */
import { limits } from "./limits.ts";

export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
	const name = byMark(bytes) ?? charset ?? declared(bytes) ?? "utf-8";
	return decoderFor(name).decode(bytes);
}

function byMark([first, second, third]: Uint8Array): string | undefined {
	if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** `<meta charset>`, `<meta http-equiv>` or an XML declaration: in ASCII, so Latin-1 can read it. */
function declared(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, limits.probeBytes)).toString("latin1");
	const match =
		/<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
		/^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i.exec(head);
	return match?.[1];
}

function decoderFor(name: string): TextDecoder {
	try {
		// The name comes from the page; an unknown encoding throws here.
		return new TextDecoder(name as Bun.Encoding);
	} catch {
		return new TextDecoder();
	}
}
