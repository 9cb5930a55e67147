/** A file of the page, with the headers that it has to be served with. */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

import { contentTypeOf, headersOf } from "./headers.ts";

export interface PageAsset {
	/** As in the URL: `/`, `/sw.js`, `/assets/main-abc.js`. */
	readonly path: string;
	readonly type: string;
	/** Sent as they are: the content security policy, how long the file may be cached. */
	readonly headers: Readonly<Record<string, string>>;
	/** Compressed. */
	brotli(): Promise<Uint8Array<ArrayBuffer>>;
	/** For clients that do not take brotli. */
	body(): Promise<Uint8Array<ArrayBuffer>>;
}

export function pageAsset(path: string, brotli: () => Promise<Uint8Array<ArrayBuffer>>): PageAsset {
	return {
		path,
		type: contentTypeOf(path),
		headers: headersOf(path),
		brotli,
		body: async () => new Uint8Array(await promisify(brotliDecompress)(await brotli())),
	};
}
